import { expect, test } from 'vitest'
import { isLoopbackUrl } from './local.ts'

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
