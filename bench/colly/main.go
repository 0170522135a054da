// Colly over the web of a benchmark: asynchronous, as many requests at once as there are seeds, robots.txt obeyed. All it
// knows is in memory; pages are read for their links and not kept. Its connections are kept as Go does by default: with
// more of them kept it asks for more pages twice.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gocolly/colly/v2"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	seeds := strings.Fields(string(text))
	c := colly.NewCollector(colly.Async(true))
	c.IgnoreRobotsTxt = false
	c.DisableCookies()
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: len(seeds)}); err != nil {
		fail(err)
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		tell(e.Request.Visit(e.Attr("href")))
	})
	c.OnError(func(r *colly.Response, err error) {
		fmt.Fprintln(os.Stderr, r.Request.URL, err)
	})
	for _, seed := range seeds {
		tell(c.Visit(seed))
	}
	c.Wait()
}

// tell says what came of a visit, unless that is as it should be.
func tell(err error) {
	var visited *colly.AlreadyVisitedError
	if err != nil && !errors.As(err, &visited) && !errors.Is(err, colly.ErrRobotsTxtBlocked) {
		fmt.Fprintln(os.Stderr, err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
