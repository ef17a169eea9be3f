import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Tradepost } from '../../sdk/src/index.ts'
import { readConfig } from '../config.ts'
import { UsageError } from './output.ts'

/** How a command that calls the API is told where and as whom. */
export interface ClientOptions {
  key?: string
  server?: string
}

/** Adds `--key` and `--server`; both default to the server on this machine. */
export const clientOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--key <key>', 'secret key (the test key of the server here)').env(
        'TRADEPOST_KEY',
      ),
    )
    .addOption(
      new Option('--server <url>', 'where the server is (the one here)').env('TRADEPOST_URL'),
    )

/** A client of the API. Throws UsageError when no key is given and none is kept here. */
export async function connect(options: ClientOptions): Promise<Tradepost> {
  // Only commands that call the API pay for loading it.
  const { Tradepost: Client } = await import('../../sdk/src/index.ts')
  const { key, baseUrl } = await addressed(options)
  return new Client({ key, baseUrl, headers: { 'user-agent': 'tradepost-cli' } })
}

/** The key and the address that are meant. */
export async function addressed({ key, server }: ClientOptions) {
  const config = readConfig(process.env)
  const baseUrl = server ?? config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`
  const kept = key ?? (await readFile(join(config.DATA_DIR, 'test-key'), 'utf8').catch(() => ''))
  if (!kept.trim()) {
    throw new UsageError(
      `There is no test key in ${config.DATA_DIR}: name one with --key or TRADEPOST_KEY.`,
    )
  }
  return { key: kept.trim(), baseUrl }
}
