"""Every kernel against a plain implementation of the papers' algorithm, on generated inputs."""
