// What a user of the Go client that OpenAPI Generator writes does: lists, creates with the largest int64, reads it back.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"

	pets "github.com/example/pets-client"
)

func main() {
	config := pets.NewConfiguration()
	config.Servers = pets.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api := pets.NewAPIClient(config).PetsAPI
	ctx := context.WithValue(context.Background(), pets.ContextAccessToken, os.Getenv("API_KEY"))

	created, _, err := api.CreatePet(ctx).PetInput(*pets.NewPetInput("Gopher", math.MaxInt64)).Execute()
	check(err)
	found, _, err := api.GetPet(ctx, created.Id).Execute()
	check(err)
	listed, _, err := api.ListPets(ctx).Execute()
	check(err)
	for _, pet := range append([]pets.Pet{*created, *found}, listed...) {
		fmt.Println(pet.Id, pet.Name, pet.CategoryId, pet.Status)
	}
	_, _, err = api.CreatePet(ctx).PetInput(*pets.NewPetInput(" ", 1)).Execute()
	rejected := bodyOf(err)
	fmt.Println(rejected.Status, rejected.Code)
	_, response, err := api.ListPets(ctx).Execute()
	limited := bodyOf(err)
	fmt.Println(limited.Status, limited.Code, response.Header.Get("Retry-After"))
}

func bodyOf(err error) pets.Error {
	var response *pets.GenericOpenAPIError
	if !errors.As(err, &response) {
		log.Fatalf("not a response: %v", err)
	}
	body, isError := response.Model().(pets.Error)
	if !isError {
		log.Fatalf("the body cannot be read: %v", err)
	}
	return body
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
