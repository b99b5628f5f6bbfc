// What a user of the client that ogen generates writes: lists, creates with the largest int64, reads it back.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"client/pets"
)

type key string

func (k key) ApiKey(context.Context, pets.OperationName) (pets.ApiKey, error) {
	return pets.ApiKey{Token: string(k)}, nil
}

func main() {
	client, err := pets.NewClient(os.Getenv("BASE_URL"), key(os.Getenv("API_KEY")))
	check(err)
	ctx := context.Background()

	created, err := client.CreatePet(ctx, &pets.NewPet{Name: "Gopher", CategoryId: math.MaxInt64}, pets.CreatePetParams{})
	check(err)
	pet := created.(*pets.PetHeaders).Response
	found, err := client.GetPet(ctx, pets.GetPetParams{PetId: pet.ID})
	check(err)
	listed, err := client.ListPets(ctx, pets.ListPetsParams{})
	check(err)
	all := []pets.Pet{pet, found.(*pets.GetPetOKHeaders).Response}
	for _, pet := range append(all, listed.(*pets.PetsHeaders).Response...) {
		fmt.Println(pet.ID, pet.Name, pet.CategoryId, pet.Status)
	}
	rejected, err := client.GetPet(ctx, pets.GetPetParams{PetId: -1})
	check(err)
	missing := rejected.(*pets.GetPetNotFound).Response
	fmt.Println(missing.Status, missing.Code)
	limited, err := client.ListPets(ctx, pets.ListPetsParams{})
	check(err)
	tooMany := limited.(*pets.TooManyRequestsHeaders)
	fmt.Println(tooMany.Response.Status, tooMany.Response.Code, tooMany.RetryAfter)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
