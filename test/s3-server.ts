import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// @ts-expect-error it has no types
import S3rver from '@20minutes/s3rver'
import { afterAll } from 'vitest'
import { readStorageUrl } from '../src/lib/service-urls.ts'

/**
 * Starts an S3 server with one bucket, removed after the file. It computes the signature of a list
 * without the slash at the end of the path. With `listable`, it accepts any signature.
 */
export async function startS3({ listable = false } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tradepost-s3-'))
  const options = {
    address: '127.0.0.1',
    silent: true,
    directory,
    allowMismatchedSignatures: listable,
  }
  const open = (port: number) =>
    new S3rver({ ...options, port, configureBuckets: [{ name: 'shop', configs: [] }] })
  let server = open(0)
  const { port } = (await server.run()) as { port: number }
  let isUp = true

  async function stop(): Promise<void> {
    if (isUp) await server.close()
    isUp = false
  }
  async function start(): Promise<void> {
    server = open(port)
    await server.run()
    isUp = true
  }
  afterAll(async () => {
    await stop()
    await rm(directory, { recursive: true, force: true })
  })

  const urlOf = (login: string) =>
    `s3+http://${login}@127.0.0.1:${port}/shop/files?region=eu-west-1`
  const url = urlOf('S3RVER:S3RVER')
  const strangersUrl = urlOf('S3RVER:WRONG')
  return {
    /** For STORAGE_URL. */
    url,
    bucket: readStorageUrl(url),
    /** The settings with unknown credentials. */
    strangersUrl,
    strangers: readStorageUrl(strangersUrl),
    stop,
    start,
    /** Returns the number of objects. */
    async count(): Promise<number> {
      const names = await readdir(join(directory, 'shop'), { recursive: true })
      return names.filter((name) => name.endsWith('_object')).length
    },
  }
}
