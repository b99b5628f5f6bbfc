// What a user of the generated Go client writes: lists, creates with the largest int64, reads it back.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"
)

func main() {
	withKey := func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("BASE_URL"), WithRequestEditorFn(withKey))
	check(err)
	ctx := context.Background()

	created, err := client.CreatePetWithResponse(ctx, nil, NewPet{Name: "Gopher", CategoryId: math.MaxInt64})
	check(err)
	if created.JSON201 == nil {
		log.Fatalf("create: %s %s", created.Status(), created.Body)
	}
	found, err := client.GetPetWithResponse(ctx, created.JSON201.Id, nil)
	check(err)
	if found.JSON200 == nil {
		log.Fatalf("get: %s %s", found.Status(), found.Body)
	}
	listed, err := client.ListPetsWithResponse(ctx, nil)
	check(err)
	if listed.JSON200 == nil {
		log.Fatalf("list: %s %s", listed.Status(), listed.Body)
	}
	refused, err := client.CreatePetWithResponse(ctx, nil, NewPet{Name: " "})
	check(err)
	if refused.JSON400 == nil {
		log.Fatalf("refused: %s %s", refused.Status(), refused.Body)
	}
	for _, pet := range append([]Pet{*created.JSON201, *found.JSON200}, *listed.JSON200...) {
		fmt.Println(pet.Id, pet.Name, pet.CategoryId, pet.Status)
	}
	fmt.Println(refused.JSON400.Status, refused.JSON400.Code)
	limited, err := client.ListPetsWithResponse(ctx, nil)
	check(err)
	tooMany := limited.JSON429
	if tooMany == nil {
		log.Fatalf("limited: %s %s", limited.Status(), limited.Body)
	}
	fmt.Println(tooMany.Status, tooMany.Code, limited.HTTPResponse.Header.Get("Retry-After"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
