"""The interactive PartiQL prompt: what `hashrange shell` does with the text that it reads.

Begin with `session`, which runs statements and commands against an endpoint. `statements` splits
text into statements, `rendering` prints items, `completion` proposes words; these are pure.
`prompt` is the terminal, and the only module that needs prompt-toolkit. Options of the command
line are in `hashrange.cli.shell`; PartiQL itself is read by the server.
"""
