import type { FastifyInstance, RouteOptions } from 'fastify'

/** A route, and the kind of request that it accepts. */
export interface Target {
  name: string
  url: string
  method: 'GET' | 'POST' | 'PUT'
  /** The sender: a program with a key, a member in the dashboard, or anyone. */
  sender: 'key' | 'person' | 'anybody'
  takes: 'json' | 'form' | 'multipart' | 'query'
  bytesMax: number
  schema: Schema
  /** Represents all targets of its sender for bodies that the parser refuses everywhere. */
  isFirst: boolean
  /** The fields whose schema no earlier target has; it represents later targets that have it. */
  fresh: Record<string, Schema>
}

/** A request designed to cost the server as much as possible. */
interface Hostile {
  what: string
  type: string
  body: string | undefined
  query: string
  /** False if a route can accept it, because it ignores unknown fields. */
  isRefused: boolean
}

export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  patternProperties?: object
  items?: Schema
  maxLength?: number
  content?: Record<string, { schema: Schema }>
}

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
const BOUNDARY = 'hostile'
const QUERY_BYTES = 12 * 1024

/** Returns all operations, dashboard routes and payer pages of a server, each with one URL. */
export function targetsOf(server: FastifyInstance): Target[] {
  const targets = server.everyRoute.flatMap((route) =>
    [route.method].flat().flatMap((method) => targetsAt(route, method)),
  )
  const senders = new Set<string>()
  const isNew = ({ takes, sender }: Target) => senders.size < senders.add(`${takes} ${sender}`).size
  const known = new Set<string>()
  const freshOf = ({ takes, schema }: Target) =>
    Object.fromEntries(
      Object.entries(schema.properties ?? {}).filter(
        (field) => known.size < known.add(JSON.stringify([takes, ...field])).size,
      ),
    )
  const each = new Map(targets.map((target) => [target.name, target])).values()
  return [...each].map((target) => ({
    ...target,
    isFirst: isNew(target),
    fresh: freshOf(target),
  }))
}

function targetsAt(route: RouteOptions, method: string): Target[] {
  if (method !== 'GET' && method !== 'POST' && method !== 'PUT') return []
  const { url, config, bodyLimit: bytesMax = 16 * 1024 } = route
  const described = (route.schema ?? {}) as Described
  const isOperation = described.operationId !== undefined
  const isConsole = url.startsWith('/console/')
  const isPage = /^\/(?:pay|i|checkout|receipt|d)\//.test(url)
  if (!isOperation && !isConsole && !isPage) return []
  const isOpen = isPage || described.security?.length === 0
  const at = (takes: Target['takes'], schema: Schema): Target => ({
    name: `${method} ${isOperation ? config?.operation : url} ${takes}`,
    url: url.replace(/:\w+\??/g, '1'),
    method,
    sender: isConsole ? 'person' : isOpen ? 'anybody' : 'key',
    takes,
    bytesMax,
    schema,
    isFirst: false,
    fresh: {},
  })
  if (method === 'GET') return [at('query', described.querystring ?? {})]
  if (isPage) return [at('form', {}), at('json', {})]
  const { content, ...plain } = described.body ?? {}
  if (!content) return [at('json', plain)]
  return Object.entries(content).map(([type, { schema }]) => at(TAKES[type]!, schema))
}

interface Described {
  operationId?: string
  security?: object[]
  body?: Schema
  querystring?: Schema
}

const TAKES: Record<string, Target['takes']> = {
  [JSON_TYPE]: 'json',
  [FORM]: 'form',
  [MULTIPART]: 'multipart',
}

/** Returns hostile requests of about this size for a target. */
export function hostileTo(target: Target, bytes: number): Hostile[] {
  if (target.takes === 'query') return queriesFor(target)
  if (target.takes === 'form') return formsOf(bytes)
  if (target.takes === 'multipart') return partsOf(target, bytes)
  const unreadable = badJson(bytes).filter((_body, i) => target.isFirst || i < EVERYWHERE)
  return [...unreadable, ...(isOfFields(target.schema) ? badFields(target, bytes) : [])]
}

const isOfFields = ({ properties }: Schema): boolean => properties !== undefined

/** Repeats a piece as often as it fits into this many bytes. */
const fill = (piece: string, bytes: number, join = ','): string =>
  Array(Math.max(1, Math.floor(bytes / (piece.length + join.length))))
    .fill(piece)
    .join(join)

/** Joins `make(0)`, `make(1)` and so on, as many as fit. */
function fillWith(make: (i: number) => string, bytes: number, join = ','): string {
  const pieces: string[] = []
  for (let i = 0, left = bytes; left > 0; i++) {
    const piece = make(i)
    left -= piece.length + join.length
    if (left > 0) pieces.push(piece)
  }
  return pieces.join(join)
}

const SURROGATE = '"\\ud800"'
const ODD_NAMES = ['toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'constructor']

/** The number of these that are sent to every route. */
const EVERYWHERE = 3

/** JSON that every route refuses, whatever its fields. */
function badJson(bytes: number): Hostile[] {
  const long = 'k'.repeat(bytes / 3)
  const spaced = (name: string) => `"${name}":[${fill(SURROGATE, bytes - name.length - 20)}]`
  const nested = `${'['.repeat(31)}${fill('{}', bytes - 100)}${']'.repeat(31)}`
  return [
    ['a long name with bad strings', `{${spaced(long)}}`],
    ['many bad strings', `{${spaced('k')}}`],
    ['a prototype', `{"__proto__":{"x":[${fill('0', bytes - 40)}]}}`],
    ['many bad names', `{${fillWith((i) => `"${i}\\u0000":0`, bytes - 10)}}`],
    ['bad strings under many names', `{${fillWith((i) => `"${i}":${SURROGATE}`, bytes - 10)}}`],
    [
      'long names in long names',
      `{${fill(`"${'n'.repeat(300)}":{"${'m'.repeat(300)}":0}`, bytes - 10)}}`,
    ],
    ['deeply nested arrays', '['.repeat(bytes)],
    ['deeply nested objects', fill('{"a":', bytes, '')],
    ['33 levels around a wide array', `{"a":${'['}${nested}]}`],
    ['a prototype of a constructor', `{"a":{"constructor":{"prototype":${'[]'}}}}`],
    ['an unterminated string', `{"a":"${'\\"'.repeat(bytes / 2 - 10)}`],
    ['an unterminated array', `[${fill('0', bytes - 10)},`],
  ].map(([what, body]) => ({ what: what!, type: JSON_TYPE, body, query: '', isRefused: true }))
}

/** JSON that the schema has to check. */
function badFields({ schema, fresh }: Target, bytes: number): Hostile[] {
  const json = (what: string, body: string, isRefused = true): Hostile => ({
    what,
    type: JSON_TYPE,
    body,
    query: '',
    isRefused,
  })
  const odd = ODD_NAMES.map((name) => `"${name}":[]`).join()
  const fields = Object.entries(schema.properties ?? {})
  return [
    json('a list', `[${fill('0', bytes - 10)}]`),
    json('a text', `"${'a'.repeat(bytes - 10)}"`),
    json('a wide object', `{${fillWith((i) => `"k${i}":0`, bytes - 10)}}`, false),
    json('names that every object has', `{${odd}}`, false),
    json(
      'a huge number in every field',
      `{${fields.map(([name]) => `"${name}":1e400`).join()}}`,
      false,
    ),
    json(
      'a wrong type in every field',
      `{${fields.map(([name]) => `"${name}":{"a":[]}`).join()}}`,
      false,
    ),
    ...WRONG_VALUES.flatMap(([what, fits, fitting]) => {
      const all = Object.entries(fresh).filter(([, field]) => fits(field))
      if (all.length === 0) return []
      const room = Math.floor(bytes / all.length) - 60
      const parts = all.map(([name, field]) => `"${name}":${fitting(field, room)}`)
      return [json(what, `{${parts.join()}}`, !what.startsWith('long'))]
    }),
  ]
}

type Value = [
  what: string,
  fits: (of: Schema) => boolean,
  fitting: (of: Schema, room: number) => string,
]

const isOf =
  (...types: string[]) =>
  ({ type }: Schema) =>
    [type].flat().some((one) => types.includes(one ?? ''))

/** The costliest values of each type, each sent in every field of that type at once. */
const WRONG_VALUES: Value[] = [
  ...['{}', '"-"', 'null', '[[]]'].map(
    (piece): Value => [
      `arrays of ${piece}`,
      isOf('array'),
      (_of, room) => `[${fill(piece, room)}]`,
    ],
  ),
  [
    'arrays of objects with only wrong fields',
    ({ items }) => items?.properties !== undefined,
    ({ items }, room) => {
      const wrong = Object.keys(items?.properties ?? {}).map((name) => `"${name}":"-"`)
      return `[${fill(`{${wrong}}`, room)}]`
    },
  ],
  [
    'many names',
    ({ patternProperties }) => patternProperties !== undefined,
    (_of, room) => `{${fillWith((i) => `"k${i}":0`, room)}}`,
  ],
  ...['a', ' ', 'a@', '\\ud83d\\ude00'].map(
    (piece): Value => [
      `long strings of ${piece}`,
      isOf('string'),
      (_of, room) => `"${fill(piece, room, '')}"`,
    ],
  ),
  ['many digits', isOf('number', 'integer'), (_of, room) => '9'.repeat(Math.max(30, room))],
]

function formsOf(bytes: number): Hostile[] {
  return [
    ['many fields', fillWith((i) => `k${i}=`, bytes, '&')],
    ['one field many times', fill('channel=x', bytes, '&')],
    ['a long name', `${'k'.repeat(bytes - 10)}=1`],
    ['bad texts', fillWith((i) => `k${i}=%00`, bytes, '&')],
    ['invalid escapes', fill('k=%ff%', bytes, '&')],
    ['names that every object has', ODD_NAMES.map((name) => `${name}=1`).join('&')],
    ['a long amount', `amount=${'9'.repeat(bytes - 20)}`],
    ['a long email address', `email=${'a@'.repeat(bytes / 2 - 20)}`],
    [
      'long texts',
      ['name', 'phone', 'once', 'bankCode'].map((n) => `${n}=${' '.repeat(bytes / 5)}`).join('&'),
    ],
  ].map(([what, body]) => ({ what: what!, type: FORM, body, query: '', isRefused: false }))
}

function partsOf({ schema }: Target, bytes: number): Hostile[] {
  const [first = 'a'] = Object.keys(schema.properties ?? {})
  const part = (name: string, value: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return [
    ['many fields', fillWith((i) => part(`k${i}`, 'x'), bytes, '')],
    ['one field many times', fill(part(first, '1'), bytes, '')],
    ['a long name', part('k'.repeat(5_000), 'x')],
    ['a long value', part(first, 'x'.repeat(bytes - 200))],
    ['a prototype', part('__proto__', 'x')],
    ['no parts', fill('\r\n', bytes, '')],
  ].map(([what, body]) => ({
    what: what!,
    type: `${MULTIPART}; boundary=${BOUNDARY}`,
    body: `${body}--${BOUNDARY}--\r\n`,
    query: '',
    isRefused: true,
  }))
}

function queriesFor({ schema, isFirst, fresh }: Target): Hostile[] {
  const [first = 'page'] = Object.keys(schema.properties ?? {})
  const names = Object.keys(fresh)
  const queries = [
    ['many names', fillWith((i) => `k${i}=1`, QUERY_BYTES, '&')],
    ['one name many times', fill(`${first}=1`, QUERY_BYTES, '&')],
    [
      'many digits',
      names.map((n) => `${n}=${'9'.repeat(QUERY_BYTES / (names.length + 1))}`).join('&'),
    ],
    ['a long name', `${'k'.repeat(QUERY_BYTES)}=1`],
    ['bad text', fillWith((i) => `k${i}=%00`, QUERY_BYTES, '&')],
    ['invalid escapes', fill('k=%ff%', QUERY_BYTES, '&')],
    ['names that every object has', ODD_NAMES.map((name) => `${name}=1`).join('&')],
  ].filter((_query, i) => isFirst || i < EVERYWHERE)
  return queries.map(([what, query]) => ({
    what: what!,
    type: JSON_TYPE,
    body: undefined,
    query: `?${query}`,
    isRefused: false,
  }))
}
