// Decides, with the code of Let's Encrypt, whether the CAA records of names permit a certificate by HTTP-01. Its
// arguments are the names. It prints a line for each: "permits", or "refuses" and the reason.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/jmhodges/clock"
	"github.com/letsencrypt/boulder/bdns"
	"github.com/letsencrypt/boulder/identifier"
	blog "github.com/letsencrypt/boulder/log"
	"github.com/letsencrypt/boulder/metrics"
	"github.com/letsencrypt/boulder/va"
	vapb "github.com/letsencrypt/boulder/va/proto"
	"github.com/miekg/dns"
)

// resolver asks a DNS server for CAA records over TCP. The authority itself asks over HTTPS.
type resolver struct {
	bdns.MockClient
	server string
}

func (r *resolver) LookupCAA(ctx context.Context, name string) (*bdns.Result[*dns.CAA], string, error) {
	query := new(dns.Msg)
	query.SetQuestion(dns.Fqdn(name), dns.TypeCAA)
	client := dns.Client{Net: "tcp", Timeout: 10 * time.Second}
	answer, _, err := client.ExchangeContext(ctx, query, r.server)
	if err != nil {
		return nil, r.server, err
	}
	if answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		return nil, r.server, fmt.Errorf("%s for %s", dns.RcodeToString[answer.Rcode], name)
	}
	result := &bdns.Result[*dns.CAA]{Msg: answer}
	for _, record := range answer.Answer {
		if caa, ok := record.(*dns.CAA); ok {
			result.Final = append(result.Final, caa)
		}
	}
	return result, r.server, nil
}

func main() {
	server := flag.String("server", "", "the DNS server, as ip:port")
	issuer := flag.String("issuer", "", "the name of the authority in CAA records")
	accounts := flag.String("accounts", "", "the URL of an account without its number")
	account := flag.Int64("account", 0, "the number of the account that orders the certificate")
	flag.Parse()

	authority, err := va.NewValidationAuthorityImpl(
		&resolver{server: *server}, nil, "caa-decisions", *issuer, metrics.NoopRegisterer, clock.New(), blog.NewMock(),
		[]string{*accounts}, "test", "", func(netip.Addr) error { return nil }, time.Second, true, nil, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range flag.Args() {
		answer, err := authority.DoCAA(context.Background(), &vapb.IsCAAValidRequest{
			Identifier:       identifier.NewDNS(name).ToProto(),
			ValidationMethod: "http-01",
			AccountURIID:     *account,
			AuthzID:          1,
		})
		if err != nil {
			log.Fatal(err)
		}
		if answer.Problem == nil {
			fmt.Println("permits")
		} else {
			fmt.Println("refuses", answer.Problem.ProblemType, answer.Problem.Detail)
		}
	}
}
