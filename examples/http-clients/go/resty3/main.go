package main

import (
	"fmt"
	"log"
	"net/http"
	"strconv"

	"resty.dev/v3"

	"http-clients/pet"
)

func main() {
	client := resty.New().
		SetRetryCount(3).
		SetRetryAllowNonIdempotent(true).
		AddRetryConditions(func(response *resty.Response, err error) bool {
			if err != nil {
				return true
			}
			seconds, _ := strconv.Atoi(response.Header().Get("Retry-After"))
			status := response.StatusCode()
			return seconds <= 60 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable)
		})
	defer client.Close()

	response, err := client.R().
		SetHeader("Authorization", pet.Authorization).
		SetHeader("Content-Type", "application/json").
		SetHeader("Idempotency-Key", pet.IdempotencyKey).
		SetBody(pet.Body).
		Post(pet.URL)
	if err != nil {
		log.Fatal(err)
	}
	if response.IsStatusFailure() {
		log.Fatal(response.Status(), " ", response)
	}
	fmt.Println("added", response)
}
