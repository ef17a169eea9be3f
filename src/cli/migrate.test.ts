import { expect, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { commandsOn, expectRefused, openHome } from './cli.fixture.ts'

const { tradepost } = await openHome()

test('0 applies what is missing, once, and names it', async () => {
  const { name } = await testDatabase()
  const { tradepost: onDatabase, json } = commandsOn(name)
  expect(await json('migrate')).toEqual({ applied: [] })
  const { stdout } = await onDatabase('migrate')
  expect(stdout).toBe('The database is already up to date.\n')

  await asOwner(name, async (client) => {
    await client.query('drop schema public cascade')
    await client.query('create schema public')
  })
  const [one, other] = await Promise.all([json('migrate'), json('migrate')])
  const applied = [...one.applied, ...other.applied]
  expect(applied[0]).toMatch(/^0001_/)
  expect(new Set(applied).size).toBe(applied.length)
  expect(await json('business', 'list')).toEqual([])
})

test('3 creates no embedded database', async () => {
  expectRefused(await tradepost(['migrate']), 3, 'there is no database')
})
