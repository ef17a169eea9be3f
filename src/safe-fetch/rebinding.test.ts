import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupAddress } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { fc } from '../../test/property.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { openSender } from '../developers/webhooks/send.ts'
import { openTransport } from '../providers/connector/transport.ts'
import { fetchFile } from './fetch-file.ts'
import { isPublicAddress, readPublicUrl } from './guard.ts'

const receiver = await openReceiver()
const { port } = new URL(receiver.url)
const URL_OF_NAME = `http://turning.example.com:${port}/`

/** The one address that may be called here. It stands for all public ones. */
const ALLOWED = '127.0.0.1'
const allows = (address: string) => address === ALLOWED

const DENIED = [
  ...['127.0.0.2', '127.1.1.1', '0.0.0.0', '10.0.0.1', '100.64.0.1', '169.254.169.254'],
  ...['172.16.0.1', '192.168.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'],
  ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'ff02::1', '2001:db8::1'],
]

/**
 * Every address to which a socket of this process began to connect. Paths of Unix sockets are left
 * out: the databases of other tests in this process have such sockets.
 */
let called: string[] = []
const watch = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  socket.on('connectionAttempt', (address: string) => {
    if (isIP(address)) called.push(address)
  })
}
subscribe('net.client.socket', watch)
afterAll(() => void unsubscribe('net.client.socket', watch))
beforeEach(() => {
  called = []
})

/** A DNS server that gives the next of these answers to each question, and then the last again. */
function dnsOf(answers: readonly (readonly string[])[]) {
  let asked = 0
  return (
    _host: string,
    _options: object,
    done: (error: null, found: LookupAddress[]) => void,
  ): void => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!
    const found = answer.map((address) => ({ address, family: isIP(address) }))
    setImmediate(done, null, found)
  }
}

type Answers = readonly (readonly string[])[]

/** What calls a URL that an outsider has chosen, once for each answer. */
const CALLERS: Readonly<Record<string, (answers: Answers) => Promise<void>>> = {
  async webhooks(answers) {
    const sender = openSender({ allows, timeoutMs: 5_000, resolve: dnsOf(answers) })
    for (const _ of answers) await sender.send({ url: URL_OF_NAME, headers: {}, body: '{}' })
    sender.close()
  },
  async providers(answers) {
    const transport = openTransport({ allows, resolve: dnsOf(answers), pauseMs: 1 })
    for (const [i] of answers.entries()) {
      const client = transport.client({ baseUrl: URL_OF_NAME, deadlineMs: 5_000 })
      // An order gets a new connection, which resolves the name in another place.
      const isSafeToRepeat = i % 2 === 0
      await client.send({ operation: 'POST /', method: 'POST', path: '/', isSafeToRepeat })
    }
    transport.close()
  },
  async files(answers) {
    const resolve = dnsOf(answers)
    const from = { live: false, publicUrl: 'https://pay.example.com' }
    for (const _ of answers) {
      await fetchFile(URL_OF_NAME, { allows, from, resolve, timeoutMs: 5_000 }, buffer).catch(
        (error) => expect(error).toMatchObject({ code: 'url_refused' }),
      )
    }
  },
}

describe.each(Object.entries(CALLERS))('%s', (_name, call) => {
  test.each(DENIED)('never connect to %s, to which an allowed name turns', async (address) => {
    await call([[ALLOWED], [address], [ALLOWED, address], [address, ALLOWED], [ALLOWED]])
    expect(called.length).toBeGreaterThan(0)
    expect(called.filter((one) => one !== ALLOWED)).toEqual([])
  })

  test('never connect to a denied address, whatever the order of the answers', async () => {
    const addresses = fc.constantFrom(ALLOWED, ALLOWED, ...DENIED)
    const answers = fc.array(fc.array(addresses, { maxLength: 3 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(answers, async (all) => {
        await call(all)
        expect(called.filter((one) => one !== ALLOWED)).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

/** The fixed bits of each range that is not public, by its first address (RFC 6890). */
const RANGES = {
  '0.0.0.0': 8,
  '10.0.0.0': 8,
  '100.64.0.0': 10,
  '127.0.0.0': 8,
  '169.254.0.0': 16,
  '172.16.0.0': 12,
  '192.0.0.0': 24,
  '192.0.2.0': 24,
  '192.168.0.0': 16,
  '198.18.0.0': 15,
  '198.51.100.0': 24,
  '203.0.113.0': 24,
  '224.0.0.0': 4,
  '240.0.0.0': 4,
}

const numberOf = (address: string) =>
  address.split('.').reduce((all, part) => all * 256 + Number(part), 0)
const bytesOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255)

/** Any address of any of the ranges, as a number. */
const denied = fc
  .tuple(fc.constantFrom(...Object.entries(RANGES)), fc.nat(2 ** 31 - 1), fc.boolean())
  .map(([[first, bits], host, isHigh]) => {
    const size = 2 ** (32 - bits)
    return numberOf(first) + ((host * (isHigh ? 2 : 1)) % size)
  })

/** The ways to write an IPv4 address in the host of a URL. */
function spellings(number: number): string[] {
  const bytes = bytesOf(number)
  const [a, b, c, d] = bytes as [number, number, number, number]
  const dotted = bytes.join('.')
  const hex = number.toString(16).padStart(8, '0')
  const [high, low] = [hex.slice(0, 4), hex.slice(4)]
  const wide = [...dotted].map((one) =>
    one === '.' ? '\u3002' : String.fromCharCode(one.charCodeAt(0) + 0xfee0),
  )
  return [
    ...[dotted, `${dotted}.`, `${number}`, `0x${hex}`, `0${number.toString(8)}`, wide.join('')],
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    bytes.map((one) => `0x${one.toString(16)}`).join('.'),
    bytes.map((one) => `0${one.toString(8)}`).join('.'),
    dotted.replaceAll('.', '%2e'),
    ...[`[::ffff:${dotted}]`, `[::ffff:${high}:${low}]`, `[0:0:0:0:0:ffff:${high}:${low}]`],
    ...[`[::${dotted}]`, `[::${high}:${low}]`, `[64:ff9b::${dotted}]`, `[64:ff9b::${high}:${low}]`],
    ...[`[2002:${high}:${low}::]`, `[2001:0:${high}:${low}::]`, `[fe80::${high}:${low}]`],
  ]
}

test('no spelling of a denied address is accepted, alone or in a URL', () => {
  fc.assert(
    fc.property(denied, (number) => {
      expect(isPublicAddress(bytesOf(number).join('.'))).toBe(false)
      const accepted = spellings(number).filter((host) => {
        try {
          return Boolean(readPublicUrl(`http://${host}/`, isPublicAddress))
        } catch {
          return false
        }
      })
      expect(accepted).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})
