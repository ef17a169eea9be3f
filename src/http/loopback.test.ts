import { expect, test } from 'vitest'
import { isLocal, isLoopbackUrl } from './ip-addresses.ts'

const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  isLocal({ headers, socket: { remoteAddress } } as Parameters<typeof isLocal>[0])

test('a direct request over loopback was made on this machine', () => {
  const browser = {
    host: 'localhost:4000',
    connection: 'keep-alive',
    'cache-control': 'max-age=0',
    'user-agent': 'Mozilla/5.0',
    'sec-fetch-user': '?1',
    'max-forwards': '10',
    'accept-language': 'en-NG',
    authorization: 'Bearer x',
    referer: 'http://localhost:4000/',
    'x-request-id': 'a',
    'x-client-version': '2',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
  for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
    expect(from(address, browser)).toBe(true)
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '203.0.113.7', 'fe80::1', ''])
    expect(from(address, browser)).toBe(false)
})

test.each([
  'forwarded',
  'forwarded-for',
  'x-forwarded',
  'x-forwarded-for',
  'x-forwarded-by',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-scheme',
  'x-forwarded-server',
  'x-forwarded-ssl',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'via',
  'cdn-loop',
  'x-varnish',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-proxyuser-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'true-client-ip',
  'akamai-origin-hop',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-ray',
  'cf-visitor',
  'do-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'fly-forwarded-port',
  'x-amzn-trace-id',
  'x-amz-cf-id',
  'x-appengine-user-ip',
  'x-arr-log-id',
  'x-azure-clientip',
  'x-cloud-trace-context',
  'x-envoy-external-address',
  'x-envoy-expected-rq-timeout-ms',
  'x-nf-client-connection-ip',
  'x-vercel-id',
])('a request with %s came through a proxy, whatever its value', (name) => {
  expect(from('127.0.0.1', { [name]: '127.0.0.1' })).toBe(false)
  expect(from('127.0.0.1', { [name]: '' })).toBe(false)
})

test.each(['http://localhost:4000', 'http://127.0.0.1', 'http://127.8.9.1:1', 'http://[::1]:4000'])(
  '%s is this machine',
  (url) => expect(isLoopbackUrl(url)).toBe(true),
)

test.each([
  'https://pay.example.com',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://10.0.0.1',
  'http://localhost@example.com',
  'http://',
  'localhost',
])('%s is not', (url) => expect(isLoopbackUrl(url)).toBe(false))
