import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import type { S3Address } from '../lib/service-urls.ts'
import { storageUnavailable } from './files.ts'
import type { ByteRange, Storage } from './storage.ts'

/**
 * If storage does not respond within these times, the call fails, so that the caller gets an error.
 */
const CONNECT_MS = 3_000
const SILENT_MS = 20_000

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Stores files in a bucket. As in S3 itself, a file is stored either whole or not at all. */
export function openS3({ endpoint, region, bucket, prefix, credentials }: S3Address): Storage {
  const client = new S3Client({
    endpoint,
    region,
    // Every S3 server accepts the bucket name in the path. In the host name, it would need separate
    // certificates.
    forcePathStyle: true,
    // Only Amazon’s servers support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
    // Silent, because the library would log to the console. The caller reports failures instead.
    logger: SILENT,
    ...credentialsOf(credentials),
  })
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + key })

  return {
    async put(key, path) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await putOnce(client, at(key), path)
        } catch (error) {
          if (attempt === PUTS_MAX || !isPassing(error)) throw storageUnavailable(error)
        }
      }
    },

    async get(key, span) {
      try {
        const file = { ...at(key), ...(span && { Range: printRange(span) }) }
        const { Body } = await client.send(new GetObjectCommand(file))
        return Body as Readable
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') throw error
        throw storageUnavailable(error)
      }
    },

    async delete(key) {
      try {
        await client.send(new DeleteObjectCommand(at(key)))
      } catch (error) {
        throw storageUnavailable(error)
      }
    },

    async list() {
      const keys: string[] = []
      let next: string | undefined
      try {
        do {
          const page = { Bucket: bucket, Prefix: prefix, ContinuationToken: next }
          const found = await client.send(new ListObjectsV2Command(page))
          for (const { Key } of found.Contents ?? []) if (Key) keys.push(Key.slice(prefix.length))
          next = found.NextContinuationToken
        } while (next)
      } catch (error) {
        throw storageUnavailable(error)
      }
      return keys
    },

    close: () => client.destroy(),
  }
}

/** The library itself retries everything except streams. */
const PUTS_MAX = 3

async function putOnce(client: S3Client, at: { Bucket: string; Key: string }, path: string) {
  const { size } = await stat(path)
  const content = createReadStream(path)
  // If the stream fails, the request fails too, so the error need not be handled here.
  content.on('error', () => {})
  try {
    await client.send(new PutObjectCommand({ ...at, Body: content, ContentLength: size }))
  } finally {
    content.destroy()
  }
}

/** Returns whether a failure is temporary. A refusal or a missing file is not. */
function isPassing(error: unknown): boolean {
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: string }
  const status = $metadata?.httpStatusCode
  return code !== 'ENOENT' && (status === undefined || status >= 500)
}

const printRange = ({ start, end }: ByteRange) => `bytes=${start}-${end}`

function credentialsOf(credentials: S3Address['credentials']): S3ClientConfig {
  if (!credentials) return {}
  const { accessKeyId, secretAccessKey } = credentials
  return { credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() } }
}
