import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { startEmbedded } from '../db/embedded.ts'
import { form, noisy, PRODUCTS, UPLOAD } from '../sales/products/media/media.fixture.ts'
import { quietLog } from './open.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'

/** Runs a statement on an embedded database as the owner, whether or not a server uses it. */
export async function query(dataDir: string, text: string) {
  const embedded = await startEmbedded({ dataDir, log: quietLog })
  const client = new pg.Client(embedded.config('owner'))
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
    await embedded.stop()
  }
}

export const notesIn = async (dataDir: string): Promise<string[]> =>
  (await query(dataDir, 'select note from invoices order by id')).map(({ note }) => note)

/** Makes a data directory that has only the encryption key of another, as an operator does. */
export async function homeWithKeyOf(dataDir: string, path: string): Promise<string> {
  await mkdir(path)
  await copyFile(join(dataDir, 'encryption.key'), join(path, 'encryption.key'))
  return path
}

/** A time that is neither that of the write before nor that of the write after. */
export async function moment(): Promise<string> {
  await sleep(5)
  const at = new Date().toISOString()
  await sleep(5)
  return at
}

/** What a business does at the servers that it had one after another. */
export function shopWith(key: string) {
  const headers = { authorization: `Bearer ${key}` }
  const send = async (url: string, body: object) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as { data: unknown } }
  }
  return {
    async create(url: string, note: string): Promise<{ invoiceNumber: string }> {
      const invoice = { customerEmail: 'ada@example.com', amount: 100, note }
      const { status, body } = await send(url + INVOICES, invoice)
      expect(status).toBe(201)
      return body.data as { invoiceNumber: string }
    },

    /** Stores an image of a new product. Returns the path of its URL. */
    async upload(url: string): Promise<string> {
      const made = await send(`${url}${PRODUCTS}/create-product`, { name: 'Shirt', price: 5 })
      const { productId } = made.body.data as { productId: number }
      const body = form({ productId: String(productId) }, { bytes: await noisy() })
      const response = await fetch(url + UPLOAD, { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      const { data } = (await response.json()) as { data: { url: string } }
      return new URL(data.url).pathname
    },
  }
}
