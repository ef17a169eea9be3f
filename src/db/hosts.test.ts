import { expect, inject, test } from 'vitest'
import { urlsOf, withFirst } from '../lib/service-urls.ts'
import { openHosts, primaryOf } from './hosts.ts'

test('a URL with several hosts is one URL for each', () => {
  expect(urlsOf('postgres://ada:p%2Cw@one:5432,two:5433/shop?sslmode=verify-full')).toEqual([
    'postgres://ada:p%2Cw@one:5432/shop?sslmode=verify-full',
    'postgres://ada:p%2Cw@two:5433/shop?sslmode=verify-full',
  ])
  expect(urlsOf('postgresql://one,two/shop?target_session_attrs=read-write')).toEqual([
    'postgresql://one/shop',
    'postgresql://two/shop',
  ])
  expect(urlsOf('postgres://one,two/shop?target_session_attrs=read-write&sslmode=require')).toEqual(
    ['postgres://one/shop?sslmode=require', 'postgres://two/shop?sslmode=require'],
  )
})

test('a URL with one host, or a socket, is left alone', async () => {
  const connection = { connectionString: 'postgres://ada@one/shop' }
  expect(openHosts(connection)).toBeUndefined()
  expect(await primaryOf(connection)).toBe(connection)
  expect(openHosts(inject('cluster').owner)).toBeUndefined()
})

test('the first host is kept while no host is a primary', async () => {
  const hosts = openHosts({ connectionString: 'postgres://127.0.0.1:1,127.0.0.1:2/shop' })!
  expect(await hosts.find()).toBe(false)
  expect(hosts.primary()).toBe('postgres://127.0.0.1:1/shop')
})

test('any host can come first', () => {
  const url = 'postgres://ada@one:1,two:2,three:3/shop?sslmode=require'
  expect(withFirst(url, 'postgres://ada@two:2/shop?sslmode=require')).toBe(
    'postgres://ada@two:2,one:1,three:3/shop?sslmode=require',
  )
  expect(withFirst(url, 'postgres://ada@four/shop')).toBe(url)
})
