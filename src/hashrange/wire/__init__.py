"""The protocols of AWS: bytes to typed requests, answers to bytes. Pure.

Here: decoding (`codec`, `reading`), the constraints of the API's model (`constraints`, `rules`,
`violations`), ARNs, the target header, encoding of answers, and the row types of services beside
DynamoDB with their protocols (`service`, `json_protocol`). Not here: HTTP, which is in `server`;
the request types, which stand with their operations; attribute values as such, in `model`.

Begin with `codec` for requests, `answers` for answers, `constraints` for checks of members.
"""
