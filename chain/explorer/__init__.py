"""The explorer: a chain as pages for people, at the address of its node.

A page is a URL, rendered here as HTML, and works without script; the script only makes it faster. A server mounts `Explorer`,
which imports no web framework until the first page is requested. `application` has the routes, `site` the data that pages
share, and `pages/` a function for each page, which returns the data for its template in `templates/`. May import the simulator
and all below it, and the parts of `rpc` that its methods share. Begin with `application`, then `site`, then `pages/activity`.
"""
