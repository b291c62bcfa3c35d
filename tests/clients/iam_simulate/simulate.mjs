// Decides the requests of a JSON file, each with its policies, and prints the decisions.
import { readFileSync } from 'node:fs'
import { runSimulation } from '@cloud-copilot/iam-simulate'

const named = (policies) => policies.map((policy, place) => ({ name: `policy-${place}`, policy }))

async function decide(request) {
  const decided = await runSimulation(
    {
      request: {
        principal: request.principal,
        action: request.action,
        resource: { resource: request.resource, accountId: request.owner },
        contextVariables: request.context,
      },
      identityPolicies: named(request.identity),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      ...(request.boundary && { permissionBoundaryPolicies: named([request.boundary]) }),
      ...(request.session && { sessionPolicy: request.session }),
      ...(request.of_resource && { resourcePolicy: request.of_resource }),
    },
    {},
  )
  if (decided.resultType === 'error') return { error: decided.errors }
  return { decision: decided.overallResult, ignored: decided.result.ignoredContextKeys }
}

const requests = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const decisions = []
for (const request of requests) decisions.push(await decide(request))
console.log(JSON.stringify(decisions))
