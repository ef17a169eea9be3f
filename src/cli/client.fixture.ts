import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'
import type { startServer } from '../../test/harness.ts'
import { beginHere, type Ended, openHome } from './cli.fixture.ts'

type Server = Awaited<ReturnType<typeof startServer>>
type Env = Record<string, string>

/** Runs commands that call this server with its test key. */
export async function clientOf({ directory, url, business }: Server) {
  const home = await openHome()
  const settings = {
    DATA_DIR: directory,
    TRADEPOST_URL: url,
    TRADEPOST_KEY: business.keys.testSecret,
  }
  /** Starts a command in its own process. */
  const begin = (args: string[], env: Env = {}) => home.begin(args, { ...settings, ...env })
  return {
    begin,
    /** Starts a command in this process. Its output can be awaited. */
    tradepost: (args: string[], env: Env = {}) => awaited(beginHere(args, { ...settings, ...env })),
    /** The same in its own process. */
    tradepostApart(args: string[], env: Env = {}) {
      const child = begin(args, env)
      const texts = { stdout: '', stderr: '' }
      child.stdout!.on('data', (bytes) => (texts.stdout += bytes))
      child.stderr!.on('data', (bytes) => (texts.stderr += bytes))
      const ended = once(child, 'close').then(([status]) => ({ status, ...texts }))
      return awaited({ stdin: child.stdin!, texts, ended, interrupt: () => child.kill('SIGINT') })
    },
  }
}

interface Begun {
  stdin: Writable
  texts: { stdout: string; stderr: string }
  ended: Promise<Ended>
  interrupt(): void
}

function awaited({ stdin, texts, ended, interrupt }: Begun) {
  let hasEnded = false
  const closed = ended.then(({ status, stdout: out, stderr: err }) => {
    hasEnded = true
    return { status, out, err }
  })
  return {
    stdin,
    closed,
    /** Waits until the output contains it, limited by the test's timeout. */
    async says(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(texts.stdout + texts.stderr)
        if (found) return found
        if (hasEnded) throw new Error(`it ended: ${texts.stdout}${texts.stderr}`)
        await new Promise((wake) => setTimeout(wake, 20))
      }
    },
    async stop() {
      interrupt()
      return closed
    },
  }
}

/** A program on this machine that receives webhooks. */
export async function receiver(status = 200) {
  const got: { headers: IncomingMessage['headers']; body: string }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    got.push({ headers: request.headers, body: await text(request) })
    response.writeHead(status).end()
  }
  const http = createServer((request, response) => void take(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  afterAll(() => http.close())
  return { got, port: (http.address() as { port: number }).port }
}
