// Cuts a provider's published description down to the operations that we use, and resolves its
// references, so that each operation can be read and corrected by itself:
//   npx js-yaml paystack.yaml > /tmp/paystack.json
//   node test/providers/descriptions/cut.ts paystack /tmp/paystack.json
// Flutterwave's description consists of several files; name them all.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const OPERATIONS: Record<string, string[]> = {
  paystack: [
    'GET /balance',
    'GET /balance/ledger',
    'GET /bank',
    'GET /bank/resolve',
    'POST /charge',
    'GET /charge/{reference}',
    'POST /customer',
    'POST /dedicated_account',
    'GET /dedicated_account',
    'GET /dedicated_account/{id}',
    'GET /dispute',
    'GET /dispute/{id}',
    'POST /dispute/{id}/evidence',
    'PUT /dispute/{id}/resolve',
    'GET /dispute/{id}/upload_url',
    'POST /refund',
    'GET /refund',
    'GET /refund/{id}',
    'POST /refund/retry_with_customer_details/{id}',
    'GET /settlement',
    'GET /settlement/{id}/transactions',
    'GET /transaction',
    'GET /transaction/{id}',
    'POST /transaction/initialize',
    'GET /transaction/verify/{reference}',
    'POST /transfer',
    'GET /transfer',
    'POST /transfer/bulk',
    'POST /transfer/finalize_transfer',
    'GET /transfer/verify/{reference}',
    'GET /transfer/{code}',
    'POST /transferrecipient',
  ],
  flutterwave: [
    'POST /accounts/resolve',
    'GET /bill-items/{item_code}/validate',
    'GET /billers/{biller_code}/items',
    'POST /billers/{biller_code}/items/{item_code}/payment',
    'GET /bills/{category}/billers',
    'GET /bills/{reference}/status',
    'POST /bulk-transfers',
    'POST /charges',
    'POST /payments',
    'GET /top-bill-categories',
    'GET /transactions/verify_by_reference',
    'GET /transactions/{id}/verify',
    'POST /transfers',
    'GET /transfers/fee',
    'POST /transfers/{id}/retries',
    'POST /virtual-account-numbers',
    'GET /virtual-account-numbers/{order_ref}',
  ],
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of a description is not ours
type Node = any

/** Texts for people, which make up nine tenths of a description. */
const DROPPED = new Set(['description', 'summary', 'title', 'example', 'examples', 'externalDocs'])

/** Resolves references, and drops texts. A property named `description` is no text. */
function resolve(node: Node, document: Node, isPropertyMap = false): Node {
  if (Array.isArray(node)) return node.map((item) => resolve(item, document))
  if (node === null || typeof node !== 'object') return node
  if (typeof node.$ref === 'string') return resolve(target(node.$ref, document), document)
  const kept = Object.entries(node).filter(([key]) => isPropertyMap || !DROPPED.has(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, resolve(value, document, key === 'properties')]),
  )
}

function target(reference: string, document: Node): Node {
  return reference
    .split('/')
    .slice(1)
    .reduce((node, key) => node[key.replace('~1', '/').replace('~0', '~')], document)
}

function cutOperation(name: string, documents: Node[]): Node {
  const [method, path] = name.split(' ') as [string, string]
  const document = documents.find((one) => one.paths[path]?.[method.toLowerCase()])
  if (!document) throw new Error(`no description has ${name}`)
  const { parameters: shared = [], ...methods } = resolve(document.paths[path], document)
  const { parameters = [], requestBody, responses } = methods[method.toLowerCase()]
  const body = requestBody?.content['application/json'].schema
  const answers = Object.entries<Node>(responses ?? {}).flatMap(([status, response]) => {
    const schema = response.content?.['application/json']?.schema
    return schema ? [[status, schema] as const] : []
  })
  const names = new Set(parameters.map((one: Node) => one.name))
  return {
    parameters: [...shared.filter((one: Node) => !names.has(one.name)), ...parameters].map(
      ({ name, in: place, required, schema }: Node) => ({
        name,
        in: place,
        ...(required && { required }),
        schema,
      }),
    ),
    ...(body && { body }),
    answers: Object.fromEntries(answers),
  }
}

const [provider = '', ...files] = process.argv.slice(2)
const documents = files.map((file) => JSON.parse(readFileSync(file, 'utf8')))
const operations = OPERATIONS[provider]!.map((name) => [name, cutOperation(name, documents)])
const file = join(import.meta.dirname, `${provider}.json`)
writeFileSync(file, `${JSON.stringify(Object.fromEntries(operations), null, 2)}\n`)
