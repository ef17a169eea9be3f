import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { plainDocument } from '../lib/openapi.ts'

const { url } = await startServer({ jobs: false })
const read = async (path: string) => {
  const answer = await fetch(url + path)
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text: await answer.text(),
  }
}
const document = JSON.parse((await read('/openapi.json')).text)
const operations = Object.values<Record<string, { operationId: string; summary: string }>>(
  plainDocument(document).paths,
).flatMap((methods) => Object.values(methods))

test('200 for a Postman collection with every operation, its body and the variables', async () => {
  const { status, type, text } = await read('/postman.json')
  expect([status, type]).toEqual([200, 'application/json; charset=utf-8'])
  const { info, item, variable, auth } = JSON.parse(text)
  expect(info.schema).toContain('v2.1.0')
  expect(auth.bearer[0].value).toBe('{{key}}')
  expect(variable.map(({ key }: { key: string }) => key)).toEqual(['baseUrl', 'key'])
  // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
  const requests: any[] = item.flatMap((folder: any) => folder.item)
  expect(requests.map(({ name }) => name).sort()).toEqual(
    operations.map(({ summary }) => summary).sort(),
  )
  const create = requests.find(({ name }) => name === 'Create an invoice').request
  expect(create.method).toBe('POST')
  expect(create.header).toEqual([{ key: 'Idempotency-Key', value: '{{$guid}}' }])
  expect(create.url.raw).toBe('{{baseUrl}}/api/payment-service/external/v1/invoices')
  expect(JSON.parse(create.body.raw)).toMatchObject({ customerEmail: expect.any(String) })
})

test('200 for a text for language models with every operation', async () => {
  const { status, type, text } = await read('/llms.txt')
  expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text).toMatch(/^# Tradepost\n\n> /)
  expect(text).toContain('/openapi.json)')
  expect(text).not.toContain('{url}')
  const missing = operations.filter(({ operationId }) => !text.includes(`(${operationId})`))
  expect(missing).toEqual([])
  expect(text).not.toContain('_v1)')
})
