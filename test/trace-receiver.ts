import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll } from 'vitest'

/** A span as it was received. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  /** Empty if it is the first of its trace. */
  parentId: string
  name: string
  isFailed: boolean
  attributes: Record<string, unknown>
}

/** Starts a receiver of OTLP over HTTP on loopback, until the end of the file. */
export async function openTraceReceiver() {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const requests: { path: string | undefined; headers: IncomingHttpHeaders }[] = []
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    requests.push({ path: request.url, headers: request.headers })
    bodies.push(body)
    spans.push(...spansIn(body))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }

  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans, bodies, requests }
}

/** The fields of a protobuf message by their numbers, each with all its values. */
type Message = Map<number, (Buffer | bigint)[]>

function readMessage(bytes: Buffer): Message {
  const fields: Message = new Map()
  let at = 0
  const varint = () => {
    let [value, shift] = [0n, 0n]
    for (;;) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
      shift += 7n
    }
  }
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const key = Number(varint())
    const type = key & 7
    const value = type === 0 ? varint() : take(type === 2 ? Number(varint()) : type === 1 ? 8 : 4)
    const known = fields.get(key >> 3)
    if (known) known.push(value)
    else fields.set(key >> 3, [value])
  }
  return fields
}

const bytesOf = (message: Message, field: number) => (message.get(field) ?? []) as Buffer[]
const partsOf = (message: Message, field: number) => bytesOf(message, field).map(readMessage)
const textOf = (message: Message, field: number) => bytesOf(message, field)[0]?.toString() ?? ''

/** ExportTraceServiceRequest: its resource spans, their scope spans, and those spans. */
const spansIn = (body: Buffer): ReceivedSpan[] =>
  partsOf(readMessage(body), 1)
    .flatMap((resource) => partsOf(resource, 2))
    .flatMap((scope) => partsOf(scope, 2))
    .map((span) => ({
      traceId: bytesOf(span, 1)[0]!.toString('hex'),
      spanId: bytesOf(span, 2)[0]!.toString('hex'),
      parentId: bytesOf(span, 4)[0]?.toString('hex') ?? '',
      name: textOf(span, 5),
      isFailed: partsOf(span, 15).some((status) => status.get(3)?.[0] === 2n),
      attributes: Object.fromEntries(
        partsOf(span, 9).map((pair) => [textOf(pair, 1), anyValueOf(partsOf(pair, 2)[0]!)]),
      ),
    }))

/** AnyValue: a string, a boolean, an integer or a double. */
function anyValueOf(value: Message): unknown {
  if (value.has(1)) return textOf(value, 1)
  if (value.has(2)) return value.get(2)![0] === 1n
  if (value.has(3)) return Number(value.get(3)![0])
  return bytesOf(value, 4)[0]?.readDoubleLE()
}
