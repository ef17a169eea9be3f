import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const WEBHOOKS = '/api/user-service/external/v1/webhooks'

/** URLs that no server may call, in any mode, whatever the operator allows. */
const NEVER = [
  // Other schemes, and invalid URLs.
  'ftp://example.com/hook',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:text/plain,hook',
  'ws://example.com/hook',
  'unix:/var/run/docker.sock',
  '//example.com/hook',
  'example.com/hook',
  'https:example.com',
  'https:///example.com',
  'http://',
  'https://?hook',
  'http://exa mple.com/',
  ' https://example.com/',
  'https://example.com/\thook',
  'https://example.com/\nhost: evil',
  'http:\\\\example.com\\hook',
  'http://example.com\\@169.254.169.254/',
  'http://example.com:99999/',
  'http://[::1/',
  'http://[fe80::1%25eth0]/',
  'http://256.1.1.1/',
  // Name and password.
  'https://ada@example.com/',
  'https://ada:secret@example.com/',
  'https://:secret@example.com/',
  'https://example.com@169.254.169.254/',
  // Internal names.
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://METADATA.GOOGLE.INTERNAL/',
  'http://metadata.goog/',
  'http://metadata.tencentyun.com/',
  'http://metadata/',
  'http://instance-data.ec2.internal/latest/',
  'http://host.docker.internal:2375/',
  'http://anything.internal/',
  'http://printer.local/',
  'http://nas.lan/',
  'http://router.home.arpa/',
  'http://localhost.localdomain/',
  'http://redis:6379/',
  'http://intranet/',
  'http://example.com./',
  'http://metadata.google.internal./',
  // Private, link-local and special addresses, in every spelling.
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://１６９.２５４.１６９.２５４/',
  'http://169%2e254%2e169%2e254/',
  'http://169。254。169。254/',
  'http://169.254.169.254./',
  'http://10.0.0.1/',
  'http://10.1/',
  'http://172.16.0.1/',
  'http://172.31.255.254/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://0.0.0.0/',
  'http://0/',
  // IPv6.
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[0:0:0:0:0:ffff:10.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[::7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[ff02::1]/',
]

/** This machine, in every spelling. */
const LOOPBACK = [
  'http://127.0.0.1:8080/',
  'http://127.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://１２７.０.０.１/',
  'http://①②⑦.⓪.⓪.①/',
  'http://127。0。0。1/',
  'http://127%2e0%2e0%2e1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]:3000/',
  'http://localhost:3000/hook',
  'http://LOCALHOST/',
  'http://%6cocalhost/',
  'http://shop.localhost/',
]

const PUBLIC = [
  'https://example.com/hook',
  'https://example.com',
  'https://example.com:8443/hook?a=1#b',
  'HTTPS://Example.COM/Hook',
  'https://bücher.example/',
  'https://internal.example.com/',
  'https://local.example.com/',
  'https://a.b.c.d.example.co/@x',
]

const strict = await startServer({ jobs: false, webhooks: { allowsLoopback: false } })
const open = await startServer({ jobs: false })
const keys = {
  test: strict.post,
  live: strict.as(strict.business.keys.liveSecret).post,
  local: open.post,
  localLive: open.as(open.business.keys.liveSecret).post,
}

async function isRefused(key: keyof typeof keys, url: string): Promise<void> {
  const { status, body } = await keys[key](WEBHOOKS, { url })
  expect([status, Object.keys(body.errors ?? {})], `${key} ${url}`).toEqual([400, ['url']])
}

describe('URLs of endpoints', () => {
  test.each(NEVER)('400 for %j, for every caller', async (url) => {
    for (const key of ['test', 'live', 'local', 'localLive'] as const) await isRefused(key, url)
  })

  test.each(LOOPBACK)('400 for %j, except in test mode if the operator allows it', async (url) => {
    for (const key of ['test', 'live', 'localLive'] as const) await isRefused(key, url)
    const { status, body } = await keys.local(WEBHOOKS, { url })
    expect([status, body.data.url]).toEqual([201, url])
    // The next spelling is of the same URL.
    await open.post(`${WEBHOOKS}/${body.data.reference}/delete`)
  })

  test.each(PUBLIC)('201 for %j, stored as written', async (url) => {
    for (const key of ['test', 'live'] as const) {
      const { status, body } = await keys[key](WEBHOOKS, { url })
      if (key === 'live' && /^http:/i.test(url)) {
        expect([status, Object.keys(body.errors)]).toEqual([400, ['url']])
        continue
      }
      expect([status, body.data.url]).toEqual([201, url])
      const { post } = strict.as(strict.business.keys[key === 'test' ? 'testSecret' : 'liveSecret'])
      await post(`${WEBHOOKS}/${body.data.reference}/delete`)
    }
  })

  test('400 for one that is too long, empty or not a string', async () => {
    const long = `https://example.com/${'a'.repeat(2048)}`
    for (const url of [long, '', null, 7, ['https://example.com'], { href: 'https://a.b' }]) {
      const { status, body } = await keys.test(WEBHOOKS, { url })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['url']])
    }
    expect((await keys.test(WEBHOOKS, {})).body.errors).toEqual({ url: ['is required'] })
  })

  test('400 also for updates, which leave the endpoint unchanged', async () => {
    const { body } = await keys.test(WEBHOOKS, { url: 'https://example.com/hook' })
    const path = `${WEBHOOKS}/${body.data.reference}`
    for (const url of ['http://10.0.0.1/', 'http://localhost/', 'ftp://example.com/']) {
      const { status, body } = await strict.put(path, { url, description: 'Changed' })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['url']])
    }
    const { secret: _, ...record } = body.data
    expect((await strict.get(path)).body.data).toEqual(record)
  })

  test('400 only says that the URL is not public', async () => {
    const { body } = await keys.live(WEBHOOKS, { url: 'http://169.254.169.254/' })
    expect(body.errors).toEqual({ url: ['must be a public URL'] })
    expect(body.errorCode).toBe('url_refused')
  })
})
