"""The explorer: a chain as pages for people, at the address of its node.

A page is a URL, made here as HTML, and works without script; the script only makes it quick. `Explorer` is what a server
mounts: it imports nothing of the web until a page is asked for. Then `site` has the routes, and `pages/` a function for each
page, which returns what its template in `templates/` shows. May import the simulator and all below it, and of `rpc` what its
methods share. Begin with `explorer`, then `site`, then `pages/activity`.
"""
