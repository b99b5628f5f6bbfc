// Adds an animal and reads all that are available, page by page.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"time"
)

type Pet struct {
	ID         int64  `json:"id,omitempty"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

const attempts = 5

// A used-up minute passes. A used-up day can need 24 hours: then the request fails at once.
const maxWait = 70 * time.Second

var nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"`)

// ask decodes the answer into result. It repeats what may succeed later, after the wait that was asked for.
func ask(method, address string, body []byte, header http.Header, result any) (http.Header, error) {
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest(method, address, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header = header.Clone()
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		wait := time.Duration(mathrand.Int63n(int64(500*time.Millisecond) << attempt))
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			content, readErr := io.ReadAll(response.Body)
			response.Body.Close()
			if readErr == nil && response.StatusCode < 300 {
				return response.Header, json.Unmarshal(content, result)
			}
			seconds, noWait := strconv.Atoi(response.Header.Get("Retry-After"))
			err = fmt.Errorf("%s: %s", response.Status, content)
			if readErr == nil && noWait != nil && response.StatusCode < 500 {
				return nil, err
			}
			wait += time.Duration(seconds) * time.Second
		}
		if attempt == attempts || wait > maxWait {
			return nil, err
		}
		time.Sleep(wait)
	}
}

func main() {
	base := os.Getenv("BASE_URL")
	if base == "" {
		base = "http://127.0.0.1:3000"
	}
	base += "/v1/pets"

	// The same key on every attempt: however often this is repeated, one animal is added.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	header := http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {fmt.Sprintf("%x", key)}}
	body, err := json.Marshal(Pet{Name: "Pixel", CategoryID: 2})
	if err != nil {
		log.Fatal(err)
	}
	var added Pet
	if _, err := ask(http.MethodPost, base, body, header, &added); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("added %+v\n", added)

	for address := base + "?status=available&limit=100"; address != ""; {
		var pets []Pet
		answered, err := ask(http.MethodGet, address, nil, http.Header{}, &pets)
		if err != nil {
			log.Fatal(err)
		}
		for _, pet := range pets {
			fmt.Println(pet.ID, pet.Name)
		}
		next := nextLink.FindStringSubmatch(answered.Get("Link"))
		if next == nil {
			break
		}
		here, err := url.Parse(address)
		if err != nil {
			log.Fatal(err)
		}
		there, err := here.Parse(next[1])
		if err != nil {
			log.Fatal(err)
		}
		address = there.String()
	}
}
