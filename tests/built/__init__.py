"""What is built and deployed: the template, the containers, the page in a browser, the benchmarks."""
