import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../lib/tokens.ts'
import { LEASE_MS, NOTE_AGAIN_MS } from './jobs.ts'
import { openSmtp, SMTP_TIMEOUTS_MS } from './smtp.ts'

/** The steps of an SMTP session; `text` is the dot that ends the message. */
const STEPS = {
  connect: '220 hello',
  EHLO: '250 hello',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  text: '250 mine',
  QUIT: '221 bye',
}
type Step = keyof typeof STEPS
const BEFORE_YES = (Object.keys(STEPS) as Step[]).slice(0, -1)

/** Replaces the usual reply: with another one, with silence, or by closing the connection. */
type Odd = { say: string } | 'nothing' | 'close' | 'cut'

/** A server that misbehaves at one step. `taken` counts the emails it accepted. */
async function startOdd(step: Step, odd: Odd) {
  const sockets = new Set<Socket>()
  const seen = { taken: 0 }
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    converse(socket, (at) => {
      if (at !== step) {
        if (at === 'text') seen.taken++
        return void socket.write(`${STEPS[at]}\r\n`)
      }
      if (odd === 'close') socket.end()
      else if (odd === 'cut') socket.resetAndDestroy()
      else if (odd !== 'nothing') socket.write(odd.say)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => server.close(done))
  })
  return { port: (server.address() as AddressInfo).port, seen }
}

function converse(socket: Socket, answer: (step: Step) => void): void {
  let heard = ''
  let isText = false
  answer('connect')
  socket.on('data', (piece) => {
    heard += piece
    for (;;) {
      const end = isText ? '\r\n.\r\n' : '\r\n'
      const at = heard.indexOf(end)
      if (at < 0) return
      // HELO follows a refused EHLO.
      const word = isText ? 'text' : heard.slice(0, 4).replace('HELO', 'EHLO')
      heard = heard.slice(at + end.length)
      isText = word === 'DATA'
      if (word in STEPS) answer(word as Step)
    }
  })
}

const LETTER = {
  fromName: 'Ada',
  replyTo: undefined,
  subject: 'Hello',
  html: '<p>x</p>',
  text: 'x',
}

async function sendTo(step: Step, odd: Odd) {
  const { port, seen } = await startOdd(step, odd)
  // The client waits for a server that keeps talking, however busy the machine is.
  const ms = odd === 'nothing' && step !== 'QUIT' ? 300 : 30_000
  const smtp = await openSmtp({
    url: new Secret(`smtp://127.0.0.1:${port}`),
    from: 'mails@pay.example',
    timeoutsMs: { connect: ms, greeting: ms, silence: ms, whole: 60_000, grace: 100 },
  })
  onTestFinished(smtp.close)
  const envelope = { to: 'bola@example.com', messageId: '<1@pay.example>' }
  return { outcome: await smtp.send(LETTER, envelope), seen }
}

describe('a server that, before it accepts the email,', () => {
  const troubled = { kind: 'postponed', isServer: true, reason: expect.stringMatching(/./) }

  test.each(
    BEFORE_YES.flatMap((step) =>
      (['nothing', 'close', 'cut'] as const).map((odd) => [odd, step] as const),
    ),
  )('does %s at %s is in trouble, and the email waits', async (odd, step) => {
    const { outcome, seen } = await sendTo(step, odd)
    expect(outcome).toEqual(troubled)
    expect(seen.taken).toBe(0)
  })

  test.each(BEFORE_YES)('says 421 at %s is in trouble', async (step) => {
    expect((await sendTo(step, { say: '421 not now\r\n' })).outcome).toEqual(troubled)
  })

  test.each([
    ['connect', troubled, troubled],
    ['EHLO', troubled, troubled],
    ['MAIL', troubled, troubled],
    ...(['RCPT', 'text'] as const).map(
      (step) =>
        [
          step,
          { kind: 'refused', reason: '554 never' },
          { kind: 'postponed', isServer: false, reason: '451 later' },
        ] as const,
    ),
    // Servers also report daily quotas here: `550 5.4.5 Daily user sending limit exceeded`.
    [
      'DATA',
      { kind: 'postponed', isServer: false, reason: '554 never' },
      { kind: 'postponed', isServer: false, reason: '451 later' },
    ],
  ] as const)(
    'refuses at %s refuses only this email, from its recipient on',
    async (step, never, later) => {
      expect((await sendTo(step, { say: '554 never\r\n' })).outcome).toEqual(never)
      expect((await sendTo(step, { say: '451 later\r\n' })).outcome).toEqual(later)
    },
  )

  test.each(BEFORE_YES)('talks nonsense at %s has not accepted the email', async (step) => {
    const { outcome } = await sendTo(step, { say: 'good afternoon\r\n' })
    expect(outcome).toMatchObject({ kind: 'postponed' })
  })
})

test.each(['nothing', 'close', 'cut', { say: '554 no\r\n' }] as const)(
  'a server that accepted the email has it, even if it does %j at the end',
  async (odd) => {
    const { outcome, seen } = await sendTo('QUIT', odd)
    expect(outcome).toEqual({ kind: 'sent' })
    expect(seen.taken).toBe(1)
  },
)

test('an attempt ends and is recorded before another process can take its email', () => {
  const notingMs = NOTE_AGAIN_MS.reduce((sum, ms) => sum + ms, 0)
  expect(SMTP_TIMEOUTS_MS.whole).toBeGreaterThan(SMTP_TIMEOUTS_MS.silence)
  expect(SMTP_TIMEOUTS_MS.whole + notingMs).toBeLessThan(LEASE_MS)
})
