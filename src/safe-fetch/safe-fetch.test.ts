import { createServer, type RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { fetchFile } from './fetch-file.ts'
import { isPublicAddress } from './guard.ts'

describe('public addresses', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '102.89.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    'localhost',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('fetchFile', async () => {
  let answer: RequestListener = () => {}
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    answer(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/a.png`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const from = { live: false, publicUrl: 'https://pay.example.com' }
  const anywhere = { allows: () => true, from }
  const refused = { code: 'url_refused', fields: { url: [expect.any(String)] } }

  test('passes the content on as it arrives', async () => {
    answer = (request, response) => response.end(`${request.headers.host} ${request.url}`)
    const content = await fetchFile(url, anywhere, buffer)
    expect(content.toString()).toBe(`127.0.0.1:${port} /a.png`)
    const byName = await fetchFile(`http://localhost:${port}/b`, anywhere, buffer)
    expect(byName.toString()).toBe(`localhost:${port} /b`)
  })

  test('refuses an address that is not public, however it is written', async () => {
    answer = (_request, response) => response.end('secret')
    const before = asked
    for (const address of [
      url,
      `http://localhost:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://127.1:${port}/`,
    ]) {
      const fetched = fetchFile(address, { allows: isPublicAddress, from }, buffer)
      await expect(fetched).rejects.toMatchObject(refused)
    }
    expect(asked).toBe(before)
  })

  test('refuses this server itself, and in live mode IP addresses and other ports', async () => {
    const before = asked
    const ask = (address: string, live: boolean) =>
      fetchFile(address, { allows: () => true, from: { ...from, live } }, buffer)
    for (const live of [false, true]) {
      for (const address of ['https://pay.example.com/a.png', 'http://PAY.example.com:81/']) {
        await expect(ask(address, live)).rejects.toMatchObject(refused)
      }
    }
    const odd = [url, 'http://8.8.8.8/', 'http://[2606:4700::1]/', 'http://shop.example.com:22/']
    for (const address of odd) await expect(ask(address, true)).rejects.toMatchObject(refused)
    expect(asked).toBe(before)
    answer = (_request, response) => response.end('abc')
    expect((await ask(url, false)).toString()).toBe('abc')
  })

  test('refuses redirects, and any status but 200', async () => {
    for (const status of [301, 302, 204, 206, 404, 500]) {
      answer = (_request, response) => response.writeHead(status, { location: url }).end()
      const before = asked
      await expect(fetchFile(url, anywhere, buffer)).rejects.toMatchObject(refused)
      expect(asked).toBe(before + 1)
    }
  })

  test('refuses a response that takes too long, from its head to its last byte', async () => {
    const options = { ...anywhere, timeoutMs: 200 }
    answer = () => {}
    await expect(fetchFile(url, options, buffer)).rejects.toMatchObject(refused)
    answer = (_request, response) => {
      response.writeHead(200).write('a')
      const drip = setInterval(() => response.write('a'), 20)
      response.on('close', () => clearInterval(drip))
    }
    await expect(fetchFile(url, options, buffer)).rejects.toMatchObject(refused)
  })

  test('refuses a response that breaks off, and a host that does not respond', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('a')
      setImmediate(() => response.destroy())
    }
    await expect(fetchFile(url, anywhere, buffer)).rejects.toMatchObject(refused)
    for (const address of ['http://127.0.0.1:1/', 'http://no-such-name.invalid/', 'nothing']) {
      await expect(fetchFile(address, anywhere, buffer)).rejects.toMatchObject(refused)
    }
  })

  test('throws what the consumer of the body throws', async () => {
    answer = (_request, response) => response.end('abc')
    const taking = fetchFile(url, anywhere, async () => {
      throw new Error('too much')
    })
    await expect(taking).rejects.toThrow('too much')
  })
})
