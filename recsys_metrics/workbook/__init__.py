"""All that exists for learners: exercises, explorables, pictures, and the lab they open in.

May change: names and meanings are not settled.
"""
