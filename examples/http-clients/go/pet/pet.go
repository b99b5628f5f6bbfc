// Package pet has what each program of this folder sends.
package pet

import (
	"crypto/rand"
	"os"
)

var (
	URL           = os.Getenv("BASE_URL") + "/v1/pets"
	Authorization = "Bearer " + os.Getenv("API_KEY")
	Body          = []byte(`{"name":"Pixel","categoryId":2}`)
)

// IdempotencyKey is the same on each attempt: however often a create is repeated, one pet is added.
var IdempotencyKey = rand.Text()
