import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { differences, type Mounted } from './contract/compare.ts'
import { NOT_IMPLEMENTED } from './contract/not-implemented.ts'
import { addressesOf, parseContract, type Row } from './contract/parse.ts'
import { startServer } from './harness.ts'

const contract = parseContract(
  readFileSync(new URL('../docs/CONTRACT.md', import.meta.url), 'utf8'),
)

// Both lists are copied from the interface itself, not from CONTRACT.md, so that neither can lose a
// path.

/** URLs that the interface spells out. */
const WRITTEN_OUT = `
  GET /api/user-service/external/v1/profile
  POST /api/payment-service/external/v1/invoices
  GET /api/payment-service/external/v1/invoices
  POST /api/payment-service/external/v1/utility/transactions/process-payment
  POST /api/transaction-service/external/v1/transaction-with-ussd
  POST /api/payment-service/external/v1/products/add-delivery-fees
  POST /api/transaction-service/external/v1/split-page/{id}/subaccount/add
  GET /api/transaction-service/external/v1/transfer/get-transfer-list
  POST /api/payment-service/external/v1/payment-pages/payment-page-add-product
  GET /api/transaction-service/external/v1/bank-list
  GET /api/transaction-service/external/v1/bank
  GET /api/payment-service/external/v1/payment-pages/get-pages
  POST /api/transaction-service/external/v1/subaccounts/
  GET /api/transaction-service/external/v1/split-page/all
  GET /api/transaction-service/external/v1/fetch/{id}
  POST /api/payment-service/external/v1/products/delete-digital-download-files
  GET /api/transaction-service/external/v1/subaccounts/all
  GET /api/payment-service/external/v1/products/get-product-inventory-details
  GET /api/transaction-service/external/v1/refund-by-reference
  GET /api/payment-service/v1/products/get-delivery-fees
  GET /api/payment-service/v1/products/get-discount-codes
  GET /api/transaction-service/external/v1/payment-pages
  POST /api/transaction-service/external/v1/payment-pages
  GET /transactions
  POST /transfers
`

/** Its table of further operations of the payment service, with the family that it marks. */
const FURTHER = `
  both POST payment-pages/custom-link-check-exist
  both POST payment-pages/create-pages
  both GET payment-pages/get-page-details
  both PUT payment-pages/update-page-details
  both PUT payment-pages/update-page-status
  both POST payment-pages/delete-page
  both GET payment-pages/payment-page-get-product
  both POST payment-pages/payment-page-delete-product
  external POST payment-pages/initiate-initialize-checkout-dynamic-virtual-account
  both POST products/create-product
  both GET products/get-products
  both GET products/get-product-details
  both POST products/delete-product
  both POST products/archive-product
  both PUT products/update-product-details
  both POST products/product-upload-media
  both GET products/get-product-media
  both POST products/delete-product-media
  both POST products/add-digital-download-files
  both GET products/get-digital-download-files
  both PUT products/rename-digital-download-files
  both PUT products/set-download-link-expiry
  both PUT products/update-delivery-fees
  both POST products/delete-delivery-fees
  both POST products/slugExist
  both POST products/add-discount-code
  both PUT products/update-discount-code-details
  external POST products/verify-discount-code
  plain POST products/add-product-options
  plain PUT products/update-product-option-details
  plain POST products/delete-product-options
  plain POST products/add-product-option-variant
  plain PUT products/update-product-option-variant
  plain POST products/delete-product-option-variant
  plain GET products/filter-for-products-variant
  plain PUT products/update-product-variant-details
  plain POST products/add-product-variant-media
  plain GET products/get-product-variant-media
  plain POST products/delete-product-variant-media
  plain POST products/duplicate-product
`

const lines = (text: string) => text.trim().split(/\s*\n\s*/)

describe('CONTRACT.md and the interface', () => {
  const fromInterface = contract.filter((row) => row.source === 'contract')

  test('CONTRACT.md has every URL that the interface spells out', () => {
    const ours = new Set(fromInterface.flatMap(addressesOf))
    const missing = lines(WRITTEN_OUT).filter((address) => !ours.has(address.replace(/\/$/, '')))
    expect(missing).toEqual([])
  })

  test('CONTRACT.md has every further operation, in the family that the interface marks', () => {
    const ours = new Set(
      fromInterface
        .filter(({ service }) => service === 'payment-service')
        .map(({ families, method, path }) => `${families} ${method} ${path.slice(1)}`),
    )
    expect(lines(FURTHER).filter((line) => !ours.has(line))).toEqual([])
  })

  test('CONTRACT.md marks nothing else as part of the interface', () => {
    expect(lines(WRITTEN_OUT)).toHaveLength(25)
    expect(lines(FURTHER)).toHaveLength(40)
    expect(fromInterface).toHaveLength(65)
  })

  test('exactly three operations of the interface return 201', () => {
    const created = fromInterface.filter(({ status }) => status === 201)
    expect(created.map(({ operation }) => operation)).toEqual([
      'create_invoice',
      'create_transfer_bare',
      'add_split_page_subaccount',
    ])
  })

  test('error envelopes follow from the paths', () => {
    const wrong = contract.filter((row) => row.errors !== envelopeOf(row))
    expect(wrong.map(({ operation }) => operation)).toEqual([])
  })
})

/** The envelopes as the decisions assign them; `/oauth/token` follows RFC 6749. */
function envelopeOf({ path }: Row): string {
  if (path === '/transaction-with-ussd') return 'coded'
  if (path.startsWith('/utility/')) return 'flag'
  if (path.startsWith('/oauth/')) return 'oauth'
  if (/^\/payment-pages\b|-delivery-fees$|^\/split-page\/\{id\}\/subaccount\//.test(path))
    return 'text'
  return 'fields'
}

describe('CONTRACT.md and the server', () => {
  test('the server mounts the operations of CONTRACT.md, except those listed as to come', async () => {
    const { app } = await startServer()
    expect(differences(contract, app.mounted, NOT_IMPLEMENTED)).toEqual([])
  })
})

describe('parser', () => {
  const HEAD = [
    '| Method | Service | Path | Families | Success | Errors | Operation |',
    '|---|---|---|---|---|---|---|',
  ]
  const GOOD = '| GET | user-service | /cats/{id} | both † | 200 † | fields | get_cat † |'
  const parse =
    (...rows: string[]) =>
    () =>
      parseContract([...HEAD, ...rows].join('\n'))

  test('reads a row and drops its marks', () => {
    expect(parse(GOOD, '', 'Text.', '| Field | Type |')()).toEqual([
      {
        method: 'GET',
        service: 'user-service',
        path: '/cats/{id}',
        families: 'both',
        status: 200,
        errors: 'fields',
        operation: 'get_cat',
        source: 'decision',
      },
    ])
  })

  const DOG = '| GET | user-service | /dogs | both | 200 | fields | get_dog |'
  test.each([
    [' fields |', '', 'line 4: 6 cells instead of 7'],
    ['GET', 'DELETE', 'unknown method "DELETE"'],
    ['user-service', 'dog-service', 'service "dog-service" does not go with families "both"'],
    ['user-service', '-', 'service "-" does not go with families "both"'],
    ['both', 'bare', 'service "user-service" does not go with families "bare"'],
    ['both', 'all', 'unknown families "all"'],
    ['both', 'toString', 'unknown families "toString"'],
    ['/dogs', 'dogs', 'malformed path "dogs"'],
    ['/dogs', '/dogs/:id', 'malformed path "/dogs/:id"'],
    ['200', '404', 'unknown success status "404"'],
    ['fields', 'B', 'unknown error envelope "B"'],
    ['get_dog', 'getDog', 'operation "getDog" is not verb_noun'],
  ])('refuses a row with %s made %s', (right, wrong, message) => {
    expect(parse(GOOD, DOG)().map(({ operation }) => operation)).toEqual(['get_cat', 'get_dog'])
    expect(parse(GOOD, DOG.replace(right, wrong))).toThrow(message)
  })

  test('names every malformed row, not only the first', () => {
    const bad = GOOD.replace('GET', 'GOT')
    expect(parse(bad, GOOD, bad)).toThrow(/line 3: .*; line 5: /)
  })

  test('refuses an operation id or a URL that occurs twice', () => {
    expect(parse(GOOD, GOOD.replace('/cats', '/dogs'))).toThrow('get_cat occurs 2 times')
    expect(parse(GOOD, GOOD.replace('get_cat', 'fetch_cat').replace('both', 'plain'))).toThrow(
      'GET /api/user-service/v1/cats/{id} occurs 2 times',
    )
    expect(parse(GOOD, GOOD.replace('get_cat', 'a_cat').replace('{id}', '{id}/'))).toThrow(
      'GET /api/user-service/v1/cats/{id} occurs 2 times',
    )
  })

  test('refuses other columns, a row outside a table, and a text without operations', () => {
    expect(parse(GOOD, '', GOOD.replace('GET', 'PUT'))).toThrow('line 5: an operation outside')
    expect(() => parseContract([HEAD[0]!.replace('Success', 'Status'), GOOD].join('\n'))).toThrow(
      'line 1: the columns are not',
    )
    expect(() => parseContract('# Nothing')).toThrow('no operations found')
  })
})

describe('comparison', () => {
  const row = (operation: string, families: Row['families']): Row => ({
    method: 'GET',
    service: families === 'bare' ? '' : 'user-service',
    path: `/${operation}/{id}`,
    families,
    status: 200,
    errors: 'fields',
    operation,
    source: 'contract',
  })
  const at = (operation: string, prefix: string, other: Partial<Mounted> = {}): Mounted => ({
    method: 'GET',
    url: `${prefix}/${operation}/:id`,
    operation,
    status: 200,
    errors: 'fields',
    ...other,
  })
  const EXTERNAL = '/api/user-service/external/v1'
  const PLAIN = '/api/user-service/v1'
  const both = [at('get_cat', EXTERNAL), at('get_cat', PLAIN)]

  test('finds nothing if everything agrees', () => {
    const rows = [row('get_cat', 'both'), row('get_dog', 'plain'), row('get_eel', 'bare')]
    const mounted = [...both, at('get_dog', PLAIN), at('get_eel', '', { url: '/get_eel/:id/' })]
    expect(differences([...rows, row('get_fox', 'both')], mounted, ['get_fox'])).toEqual([])
  })

  test('finds an operation that is missing in a family', () => {
    expect(differences([row('get_cat', 'both')], [both[0]!], [])).toEqual([
      `get_cat is missing at GET ${PLAIN}/get_cat/{id}`,
    ])
    expect(differences([row('get_cat', 'both')], [], [])).toHaveLength(2)
  })

  test('finds an operation in a family where it should not be', () => {
    expect(differences([row('get_cat', 'plain')], both, [])).toEqual([
      `get_cat should not be at GET ${EXTERNAL}/get_cat/{id}`,
    ])
  })

  test('finds a different method and a different parameter name', () => {
    const put = at('get_cat', '', { method: 'PUT' })
    const named = at('get_cat', '', { url: '/get_cat/:reference' })
    for (const entry of [put, named]) {
      expect(differences([row('get_cat', 'bare')], [entry], [])).toHaveLength(2)
    }
  })

  test('finds a mounted operation that CONTRACT.md does not have, once', () => {
    const dogs = [at('get_dog', EXTERNAL), at('get_dog', EXTERNAL)]
    expect(differences([row('get_cat', 'both')], [...both, ...dogs], [])).toEqual([
      `get_dog is mounted at GET ${EXTERNAL}/get_dog/{id} but not in CONTRACT.md`,
    ])
  })

  test('finds a different status and a different envelope', () => {
    const mounted = [at('get_cat', '', { status: 201, errors: 'text' })]
    expect(differences([row('get_cat', 'bare')], mounted, [])).toEqual([
      'get_cat returns 201 instead of 200 at GET /get_cat/{id}',
      'get_cat fails as text instead of fields at GET /get_cat/{id}',
    ])
  })

  test('finds operations to come that are already mounted, unknown, or listed twice', () => {
    const notImplemented = ['get_cat', 'get_yak', 'get_yak']
    expect(new Set(differences([row('get_cat', 'both')], both, notImplemented))).toEqual(
      new Set([
        'get_yak occurs 2 times in not-implemented.ts',
        'get_yak is in not-implemented.ts but not in CONTRACT.md',
        'get_cat is mounted: remove it from not-implemented.ts',
      ]),
    )
  })
})
