import { connect, type Socket } from 'node:net'

interface RawReply {
  /** 0 if the server closed the connection without a response. */
  status: number
  headers: Headers
  text: string
  // Tests know the shape of a response; a wrong one fails an expectation.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}

/** Joins a request line and headers with CRLF, including ones that `fetch` would not send. */
export const lines = (...parts: string[]): string => `${parts.join('\r\n')}\r\n\r\n`

/** Opens a connection to send raw bytes. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  return socket
}

/** Sends bytes and reads the first response; status 0 if the server closes the connection. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<RawReply> {
  const socket = await openSocket(url)
  try {
    socket.write(bytes)
    return await nextReply(socket)
  } finally {
    socket.destroy()
  }
}

/** Bytes received after a response belong to the next one. */
const leftovers = new WeakMap<Socket, Buffer>()

/** Reads the next response on a connection; status 0 if the connection closes without one. */
export async function nextReply(socket: Socket): Promise<RawReply> {
  let received = leftovers.get(socket) ?? Buffer.alloc(0)
  return new Promise((resolve) => {
    const look = (isOver: boolean) => {
      const found = replyIn(received, isOver)
      if (!found) return
      socket.off('data', more).off('close', over)
      leftovers.set(socket, received.subarray(found.bytes))
      resolve(found.reply)
    }
    const more = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      look(false)
    }
    const over = () => look(true)
    socket.on('data', more).on('close', over)
    look(socket.closed)
  })
}

function replyIn(
  received: Buffer,
  isOver: boolean,
): { reply: RawReply; bytes: number } | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1 && !isOver) return undefined
  const [first = '', ...fields] = received.subarray(0, end).toString('latin1').split('\r\n')
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(first) ?? []
  const pairs = fields.map((field) => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon), field.slice(colon + 1).trim()] as [string, string]
  })
  const headers = new Headers(end === -1 ? [] : pairs)
  const bytes = end + 4 + Number(headers.get('content-length') ?? 0)
  if (received.length < bytes && !isOver) return undefined
  const text = received.subarray(end + 4, bytes).toString('utf8')
  const isJson = headers.get('content-type')?.includes('json') && text !== ''
  const body = isJson ? JSON.parse(text) : undefined
  return { reply: { status: Number(status), headers, text, body }, bytes }
}
