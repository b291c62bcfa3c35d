module hashrange/clients/dax

go 1.23

require (
	github.com/aws/aws-dax-go v1.2.14
	github.com/aws/aws-sdk-go v1.55.5
)

require (
	github.com/antlr/antlr4 v0.0.0-20181218183524-be58ebffde8e // indirect
	github.com/gofrs/uuid v4.4.0+incompatible // indirect
	github.com/jmespath/go-jmespath v0.4.0 // indirect
)
