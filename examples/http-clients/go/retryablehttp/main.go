package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"

	"github.com/hashicorp/go-retryablehttp"

	"http-clients/pet"
)

func main() {
	client := retryablehttp.NewClient()
	client.RetryMax = 3
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	client.CheckRetry = func(ctx context.Context, response *http.Response, err error) (bool, error) {
		if response != nil {
			if seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")); seconds > 60 {
				return false, nil
			}
		}
		return retryablehttp.DefaultRetryPolicy(ctx, response, err)
	}

	request, err := retryablehttp.NewRequest(http.MethodPost, pet.URL, pet.Body)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", pet.Authorization)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", pet.IdempotencyKey)
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated {
		log.Fatal(response.Status, " ", string(answer), err)
	}
	fmt.Println("added", string(answer))
}
