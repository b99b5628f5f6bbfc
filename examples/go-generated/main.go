// Adds an animal and reads all available animals with a client that oapi-codegen generates.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"

	"pets-go-generated/pets"
)

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package pets -o pets/client.gen.go ../../schema/openapi.yaml

var nextCursor = regexp.MustCompile(`<[^>]*[?&]after=([^&>]*)[^>]*>; rel="next"`)

// maxWaitSeconds is enough for a used-up minute. A used-up day can need 24 hours: then the response is returned at once.
const maxWaitSeconds = 70

// patient is an http.Client that repeats a request after the wait that Retry-After asks for (429 and 503), up to 4 times.
type patient struct{ http.Client }

func (p *patient) Do(request *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		response, err := p.Client.Do(request)
		if err != nil || attempt == 5 {
			return response, err
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil || seconds > maxWaitSeconds {
			return response, nil
		}
		response.Body.Close()
		time.Sleep(time.Duration(seconds)*time.Second + 100*time.Millisecond)
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

func main() {
	base := os.Getenv("BASE_URL")
	if base == "" {
		base = "http://127.0.0.1:3000"
	}
	authenticate := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := pets.NewClientWithResponses(base+"/v1", pets.WithHTTPClient(&patient{}), pets.WithRequestEditorFn(authenticate))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	// All retries send the same key, so that the gateway adds one animal.
	key := rand.Text()
	added, err := client.CreatePetWithResponse(ctx, &pets.CreatePetParams{IdempotencyKey: &key}, pets.NewPet{Name: "Pixel", CategoryId: 2})
	if err != nil {
		log.Fatal(err)
	}
	if added.JSON201 == nil {
		log.Fatalf("%s: %s", added.Status(), added.Body)
	}
	fmt.Printf("added %d %s\n", added.JSON201.Id, added.JSON201.Name)

	status, limit := pets.Available, 100
	params := &pets.ListPetsParams{Status: &status, Limit: &limit}
	for {
		page, err := client.ListPetsWithResponse(ctx, params)
		if err != nil {
			log.Fatal(err)
		}
		if page.JSON200 == nil {
			log.Fatalf("%s: %s", page.Status(), page.Body)
		}
		for _, pet := range *page.JSON200 {
			fmt.Println(pet.Id, pet.Name)
		}
		next := nextCursor.FindStringSubmatch(page.HTTPResponse.Header.Get("Link"))
		if next == nil {
			return
		}
		params.After = &next[1]
	}
}
