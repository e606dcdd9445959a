"""The two functions as Lambda runs them: the real handlers against emulated AWS, judged by what callers see."""
