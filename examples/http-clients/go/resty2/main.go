package main

import (
	"fmt"
	"log"
	"net/http"
	"strconv"
	"time"

	"github.com/go-resty/resty/v2"

	"http-clients/pet"
)

func main() {
	client := resty.New().
		SetRetryCount(3).
		SetRetryMaxWaitTime(time.Minute).
		AddRetryCondition(func(response *resty.Response, err error) bool {
			status := response.StatusCode()
			return err != nil || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
		}).
		SetRetryAfter(func(_ *resty.Client, response *resty.Response) (time.Duration, error) {
			seconds, _ := strconv.Atoi(response.Header().Get("Retry-After"))
			if seconds > 60 {
				return 0, fmt.Errorf("%s: Retry-After is %d s", response.Status(), seconds)
			}
			return time.Duration(seconds) * time.Second, nil
		})

	response, err := client.R().
		SetHeader("Authorization", pet.Authorization).
		SetHeader("Content-Type", "application/json").
		SetHeader("Idempotency-Key", pet.IdempotencyKey).
		SetBody(pet.Body).
		Post(pet.URL)
	if err != nil {
		log.Fatal(err)
	}
	if response.IsError() {
		log.Fatal(response.Status(), " ", response)
	}
	fmt.Println("added", response)
}
