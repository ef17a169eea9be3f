import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type SpooledFile, tooLarge } from '../files/files.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { type Fields, invalid, Problem, unavailable } from '../lib/problem.ts'
import { fileNameError } from '../lib/text.ts'
import { refuseBadText } from './bodies.ts'
import { coerceStrings } from './validation.ts'

/**
 * Limits the files that a route accepts as multipart/form-data, in parts named `file` next to its
 * fields.
 */
export interface UploadLimits {
  filesMax: number
  fileBytesMax: number
  /** The limit for all files in a request together. */
  bytesMax: number
  /** Whether the route also accepts JSON, without files. */
  json: boolean
}

/** A file in a request; removed when the request ends. */
export interface Upload extends SpooledFile {
  name: string
}

export type Spool = (content: AsyncIterable<Uint8Array>, bytesMax: number) => Promise<SpooledFile>

interface Received {
  fields: Record<string, unknown>
  files: Upload[]
}

/** The time limits for clients that stop sending (stalled), or that take too long overall. */
const STALLED_MS = 30_000
const UPLOAD_MS_MAX = 3_600_000

/** Allows for clients that don't read the response until they have sent everything. */
const DRAIN_MS = 2_000

const FIELDS_MAX = 50
const FIELD_BYTES_MAX = 16 * 1024
const FIELD_NAME_MAX = 100
const LONG_NAME = `must have a name of at most ${FIELD_NAME_MAX} characters`
/** The limit for part headers and fields, in addition to the files. */
const BESIDE_BYTES_MAX = 1024 * 1024

const receiving = new WeakSet<Socket>()

/** Returns whether the usual time limit for bodies is off because files are arriving. */
export const isUploading = (socket: object): boolean => receiving.has(socket as Socket)

type Serve = (
  request: FastifyRequest,
  reply: FastifyReply,
  files?: readonly Upload[],
) => Promise<FastifyReply>

/**
 * Receives the files in a multipart body before the request is served, and removes them afterwards.
 */
export function withFiles(
  serve: Serve,
  { uploads, body = {} }: { uploads?: UploadLimits; body?: TSchema },
  { spool, clock }: { spool: Spool; clock: Clock },
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.isMultipart()) {
      if (!uploads?.json) throw multipartOnly()
      return serve(request, reply)
    }
    if (isEncoded(request)) throw encodedBody()
    const began = clock.now()
    const { fields, files } = await receive(request, uploads!, spool)
    request.uploads = files
    // Clients that follow events would miss those with the time at which a long upload began.
    const caller = request.caller!
    const tookMs = clock.now().getTime() - began.getTime()
    request.caller = { ...caller, now: addMs(caller.now, Math.max(0, tookMs)) }
    try {
      // The fields are strings, as in a query.
      request.body = coerceStrings(fields, body)
      refuseBadText(request.body)
      return await serve(request, reply, files)
    } finally {
      await removeAll(files)
    }
  }
}

const multipartOnly = () =>
  new Problem(
    'unsupported',
    'unsupported_content_type',
    'Send the body as multipart/form-data, with the file in a part named "file".',
  )

/** Suggests multipart, because an image sent as base64 quickly becomes too large for JSON. */
export function suggestMultipart(error: unknown): never {
  if ((error as { code?: string }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
  const text = 'A JSON body can have at most 1 MiB. Send larger files as multipart/form-data.'
  throw new Problem('too_large', 'body_too_large', text)
}

const isEncoded = ({ headers }: FastifyRequest): boolean =>
  !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')

const encodedBody = () =>
  new Problem(
    'unsupported',
    'unsupported_content_type',
    'Send the multipart body without Content-Encoding.',
    { headers: { connection: 'close' } },
  )

/** Reads the whole body, and writes its files to disk. Removes them if it throws. */
async function receive(
  request: FastifyRequest,
  limits: UploadLimits,
  spool: Spool,
): Promise<Received> {
  const { raw } = request
  const files: Upload[] = []
  const hangUp = () => void raw.destroy()
  const tooLong = setTimeout(hangUp, UPLOAD_MS_MAX)
  const unwatch = watchPace(raw.socket, hangUp)
  let giveBack = () => {}
  receiving.add(raw.socket)
  raw.socket.setTimeout(STALLED_MS)
  try {
    giveBack = await takePlace(request.caller!.businessId)
    // A client that has disconnected sends no further events.
    if (raw.destroyed) throw new Error('the client disconnected')
    return { fields: await readParts(request, limits, spool, files), files }
  } catch (error) {
    await removeAll(files)
    const problem = problemOf(error)
    throw (await isDrained(request)) ? problem : closing(problem)
  } finally {
    clearTimeout(tooLong)
    unwatch()
    giveBack()
    receiving.delete(raw.socket)
    raw.socket.setTimeout(0)
  }
}

async function removeAll(files: readonly SpooledFile[]): Promise<void> {
  for (const file of files) await file.remove()
}

/** Refuses a body because of its Content-Length before reading any of it. */
function refuseLength({ headers }: FastifyRequest, { bytesMax }: UploadLimits): void {
  if (Number(headers['content-length'] ?? 0) > bytesMax + BESIDE_BYTES_MAX) throw tooLarge(bytesMax)
}

async function readParts(
  request: FastifyRequest,
  limits: UploadLimits,
  spool: Spool,
  files: Upload[],
): Promise<Record<string, unknown>> {
  refuseLength(request, limits)
  const { filesMax, fileBytesMax, bytesMax } = limits
  const fields: Record<string, unknown> = Object.create(null)
  const parts = request.parts({
    preservePath: true,
    limits: {
      files: filesMax,
      // One byte more than `spool` allows, so that `spool` refuses the file.
      fileSize: fileBytesMax + 1,
      fields: FIELDS_MAX,
      fieldSize: FIELD_BYTES_MAX,
      parts: FIELDS_MAX + filesMax,
      headerPairs: 20,
    },
  })
  let left = bytesMax
  for await (const part of parts) {
    if (part.type === 'field') addField(fields, part)
    else {
      const name = nameOf(part)
      const file = await spool(part.file, Math.min(fileBytesMax, left))
      files.push({ ...file, name })
      left -= file.bytes
    }
  }
  return { ...fields }
}

interface FieldPart {
  fieldname: string
  value: unknown
  valueTruncated: boolean
}

function addField(fields: Record<string, unknown>, part: FieldPart): void {
  const { fieldname: name, value, valueTruncated } = part
  if (name.length > FIELD_NAME_MAX) throw refused(name.slice(0, 40), LONG_NAME)
  refuseBadUtf8(name, name)
  refuseBadUtf8(name, value)
  if (valueTruncated) throw refused(name, `must be at most ${FIELD_BYTES_MAX} bytes`)
  if (name in fields) throw refused(name, 'must be sent only once')
  fields[name] = value
}

/** Throws 400 for a part that is not named `file`, or has an invalid file name. */
function nameOf({ fieldname, filename }: { fieldname: string; filename: string }): string {
  if (fieldname !== 'file') throw refused(fieldname, 'cannot be a file; name the part "file"')
  refuseBadUtf8('filename', filename)
  // In a form, browsers escape quotes in this way, but not percent signs.
  const name = (filename ?? '').replaceAll('%22', '"').normalize('NFC')
  const fault = fileNameError(name)
  if (fault) throw refused('filename', fault)
  return name
}

/** The parser replaces invalid UTF-8 with U+FFFD, which names don't otherwise contain. */
function refuseBadUtf8(field: string, value: unknown): void {
  if (typeof value !== 'string' || !value.includes('\uFFFD')) return
  throw invalid({ [field]: ['must be valid UTF-8'] }, 'invalid_text')
}

const refused = (field: string, fault: string) => invalid({ [field]: [fault] } satisfies Fields)

const LIMITS: Record<string, string> = {
  FST_FILES_LIMIT: 'The request has too many files.',
  FST_FIELDS_LIMIT: `The request has more than ${FIELDS_MAX} fields.`,
  FST_PARTS_LIMIT: 'The request has too many parts.',
}

function problemOf(error: unknown): unknown {
  if (error instanceof Problem) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const limit = LIMITS[code]
  if (limit) return new Problem('too_large', 'too_many_parts', limit)
  // The error comes from the file system, so the server is at fault.
  if (/^E[A-Z]+$/.test(code) && code !== 'ECONNRESET') return error
  return new Problem(
    'invalid',
    'invalid_multipart',
    `The multipart body is incomplete or malformed: ${message}.`,
  )
}

/** Reads the rest of the body for a while; disconnects a client that never stops sending. */
async function isDrained({ raw }: FastifyRequest): Promise<boolean> {
  raw.unpipe()
  raw.resume()
  const ended = new Promise((resolve) => raw.once('close', resolve).once('end', resolve))
  const waiting = new AbortController()
  if (!raw.complete && !raw.destroyed) {
    const late = sleep(DRAIN_MS, undefined, { signal: waiting.signal }).catch(() => {})
    await Promise.race([ended, late])
  }
  waiting.abort()
  return raw.complete
}

function closing(problem: unknown): unknown {
  if (problem instanceof Problem) problem.headers.connection = 'close'
  return problem
}

/** Each upload can use 500 MiB of disk space, so the number of simultaneous uploads is limited. */
const AT_ONCE_MAX = 32
/**
 * The limit for one business, so that slow uploads with one key leave slots for other businesses.
 */
const OWN_AT_ONCE_MAX = 8

/** Small uploads finish quickly, so waiting saves clients from having to retry. */
const WAIT_MS = 3_000
const WAITING_MAX = 256

const underWay = new Map<number, number>()
let taken = 0
let waiting = 0
const places = new EventEmitter().setMaxListeners(WAITING_MAX)

const ownOf = (businessId: number): number => underWay.get(businessId) ?? 0

/**
 * Takes a slot if one is free. It does so synchronously, so that two waiters never take the same
 * one.
 */
function isTaken(businessId: number): boolean {
  const own = ownOf(businessId)
  if (taken >= AT_ONCE_MAX || own >= OWN_AT_ONCE_MAX) return false
  underWay.set(businessId, own + 1)
  taken++
  return true
}

/** Takes an upload slot, or throws 503. Returns the function that releases it. */
async function takePlace(businessId: number): Promise<() => void> {
  if (!isTaken(businessId)) await waitForPlace(businessId)
  return () => {
    taken--
    const left = ownOf(businessId) - 1
    if (left > 0) underWay.set(businessId, left)
    else underWay.delete(businessId)
    places.emit('free')
  }
}

async function waitForPlace(businessId: number): Promise<void> {
  if (waiting >= WAITING_MAX) throw busy()
  const signal = AbortSignal.timeout(WAIT_MS)
  waiting++
  try {
    while (!isTaken(businessId)) await once(places, 'free', { signal })
  } catch {
    throw busy()
  } finally {
    waiting--
  }
}

const busy = () =>
  unavailable('uploads_busy', 'Too many uploads are in progress. Try again shortly.')

/** How long a slow connection has before its pace is judged. */
const GRACE_MS = 30_000
const BYTES_A_SECOND_MIN = 1_000
const LOOK_MS = 5_000

/** Returns whether an upload is so slow that others should have its slot. */
export const isTooSlow = (bytes: number, ms: number): boolean =>
  ms > GRACE_MS && (bytes * 1_000) / ms < BYTES_A_SECOND_MIN

/**
 * Calls `hangUp` if data arrives too slowly on average. Returns the function that stops watching.
 */
function watchPace(socket: Socket, hangUp: () => void): () => void {
  const before = socket.bytesRead
  const began = performance.now()
  const looking = setInterval(() => {
    if (isTooSlow(socket.bytesRead - before, performance.now() - began)) hangUp()
  }, LOOK_MS)
  return () => clearInterval(looking)
}
