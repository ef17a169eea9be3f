import { Agent, request } from 'node:http'

export interface Reply {
  status: number
  // A test knows what it asked for; a mistake shows as a failed expectation.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  text: string
  headers: Headers
}

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array | undefined
}

const agent = new Agent({ keepAlive: true })
/** What `fetch` would send too. */
const DEFAULTS = {
  accept: '*/*',
  'accept-language': '*',
  'user-agent': 'node',
}

/** Sends a request as `fetch` would, at less than half of its cost, and follows no redirect. */
export function send(url: string, { method = 'GET', headers, body }: Sent = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers: { ...DEFAULTS, ...headers } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        // Takes the mark of UTF-8 away, as `fetch` does.
        const text = new TextDecoder().decode(Buffer.concat(chunks))
        const { statusCode = 0, rawHeaders } = answer
        const received = new Headers()
        for (let i = 0; i < rawHeaders.length; i += 2) {
          received.append(rawHeaders[i]!, rawHeaders[i + 1]!)
        }
        const isJson = text !== '' && received.get('content-type')?.includes('json')
        const parsed = isJson ? JSON.parse(text) : undefined
        resolve({ status: statusCode, body: parsed, text, headers: received })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
