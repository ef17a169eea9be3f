import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Requests } from '../load.ts'
import { launchNode } from '../server.ts'
import { fileBeside, idsOf, install, PASSWORD, ROWS, run, type SetUp } from './peer.ts'

const PACKAGES = {
  dependencies: { '@vendure/core': '3.7.3', pg: '8.16.3' },
  // It does not work with the versions that npm would choose.
  overrides: { '@graphql-tools/delegate': '12.2.1', '@graphql-tools/wrap': '11.2.0' },
}

const GET = `query ($id: ID!) { product(id: $id) {
  id name slug description variants { id name sku price currencyCode }
} }`
const LIST = `{ products(options: { take: 20 }) {
  totalItems items { id name slug variants { id price } }
} }`
const CREATE = `mutation ($name: String!) { createProduct(input: {
  translations: [{ languageCode: en, name: $name, slug: $name, description: "Two metres." }]
}) { id name slug } }`
const CREATE_VARIANT = `mutation ($id: ID!) { createProductVariants(input: [{
  productId: $id, sku: "ANK-0042", price: 1500050, stockOnHand: 25,
  translations: [{ languageCode: en, name: "Ankara shirt" }]
}]) { id price } }`
const ADD_TO_CART = `mutation ($id: ID!) { addItemToOrder(productVariantId: $id, quantity: 1) {
  __typename ... on Order { code totalWithTax } ... on ErrorResult { message }
} }`

/** Sets up Vendure: its core with the job queue, without dashboard, search, assets and email. */
export const setUpVendure: SetUp = async ({ directory, connection }) => {
  await install(directory, PACKAGES)
  await copyFile(fileBeside('vendure.cjs'), join(directory, 'vendure.cjs'))
  const { user: username, ...rest } = connection
  const environment = {
    NODE_ENV: 'production',
    PASSWORD,
    ROWS: `${ROWS}`,
    CONNECTION: JSON.stringify({ ...rest, username }),
  }
  await run(directory, process.execPath, ['vendure.cjs', 'fill'], { ...environment, PORT: '0' })
  const launched = await launchNode({
    args: ['vendure.cjs'],
    cwd: directory,
    environment,
    readyPath: '/health',
  })
  const token = await signIn(launched.port)
  const ask = (query: string, expected: string, variables: object[] = [{}]) => ({
    method: 'POST' as const,
    paths: ['/admin-api'],
    expected,
    headers: { authorization: `Bearer ${token}` },
    bodies: variables.map((one) => ({ query, variables: one })),
  })
  const idsIn = async (select: string) => (await idsOf(connection, select)).map((id) => ({ id }))
  return {
    ...launched,
    requests: {
      get: [
        async () =>
          ask(GET, '"product":{"id"', await idsIn(`select id from product limit ${ROWS}`)),
      ],
      list: [async () => ask(LIST, `"totalItems":${ROWS}`)],
      create: [
        async () => ask(CREATE, '"createProduct":{"id"', [{ name: 'shirt-########' }]),
        // Of the products that the first request has created, one each.
        async () =>
          ask(CREATE_VARIANT, '"createProductVariants":[{"id"', await idsIn(WITHOUT_VARIANT)),
      ],
      cart: [
        async (): Promise<Omit<Requests, 'port'>> => ({
          ...ask(ADD_TO_CART, '"Order"', await idsIn('select id from product_variant')),
          paths: ['/shop-api'],
          headers: {},
        }),
      ],
    },
  }
}

const WITHOUT_VARIANT = `
  select id from product p
  where not exists (select from product_variant v where v."productId" = p.id)`

async function signIn(port: number): Promise<string> {
  // prose-ok: Vendure's name
  const query = `mutation { login(username: "ada", password: "${PASSWORD}") { __typename } }`
  const response = await fetch(`http://127.0.0.1:${port}/admin-api`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const token = response.headers.get('vendure-auth-token')
  if (!token) throw new Error(`Vendure did not sign us in: ${await response.text()}`)
  return token
}
