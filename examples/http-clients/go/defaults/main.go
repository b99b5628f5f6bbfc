// Sends one request with each client as it comes, with its retries switched on and nothing else set. Each client gets a
// path of its own below the address given, so that the server can tell them apart.
//
//	go run ./defaults http://127.0.0.1:3000 GET
package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	resty2 "github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-retryablehttp"
	resty3 "resty.dev/v3"
)

const pet = `{"name":"Pixel","categoryId":2}`

func main() {
	server, method := os.Args[1], os.Args[2]
	clients := map[string]func(address string){
		"net/http": func(address string) {
			var body io.Reader
			if method == http.MethodPost {
				body = strings.NewReader(pet)
			}
			request, _ := http.NewRequest(method, address, body)
			if response, err := http.DefaultClient.Do(request); err == nil {
				response.Body.Close()
			}
		},
		"go-retryablehttp": func(address string) {
			var body any
			if method == http.MethodPost {
				body = []byte(pet)
			}
			request, _ := retryablehttp.NewRequest(method, address, body)
			client := retryablehttp.NewClient()
			client.Logger = nil
			if response, err := client.Do(request); err == nil {
				response.Body.Close()
			}
		},
		"resty 2": func(address string) {
			request := resty2.New().SetRetryCount(3).R()
			if method == http.MethodPost {
				request.SetBody(pet)
			}
			request.Execute(method, address)
		},
		"resty 3": func(address string) {
			client := resty3.New().SetRetryCount(3)
			defer client.Close()
			request := client.R()
			if method == http.MethodPost {
				request.SetBody(pet)
			}
			request.Execute(method, address)
		},
	}
	var group sync.WaitGroup
	for name, ask := range clients {
		group.Add(1)
		go func() {
			defer group.Done()
			ask(server + "/" + url.PathEscape(name))
		}()
	}
	group.Wait()
}
