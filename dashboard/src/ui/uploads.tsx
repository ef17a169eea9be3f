import { ActionIcon, FileButton, Group, Progress, Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, type ReactNode, useState, useSyncExternalStore } from 'react'
import { type ApiError, type Call, call, currentPlace, type Place } from '../api/call.ts'
import { onLeave } from '../api/session.ts'
import { ActionButton } from './buttons.tsx'
import '../theme/sell.css'

/** A file with an upload that is waiting, is in progress or has failed. */
interface PendingUpload {
  id: string
  file: File
  state: 'waiting' | 'going' | 'failed'
  /** From 0 to 1. */
  share: number
  /** Why the upload failed. */
  fault?: string
  /** Whether a retry could help, which it can't if the file itself is not acceptable. */
  canRepeat: boolean
  /** The URL of the image to show during the upload. */
  preview?: string
}

export interface Target {
  /** The path of the operation, and its fields apart from the file. */
  path: string
  fields?: Record<string, string>
  /** The accepted MIME types. If absent, all types are accepted. */
  types?: readonly string[]
  bytesMax: number
  /** Describes the accepted files. */
  says: string
  /** Called with the response for each file. */
  onDone?(answer: unknown): void
}

interface Kept extends PendingUpload {
  target: Target
  place: Place
  idempotencyKey: string
  /** Aborting this cancels the upload. */
  ended: AbortController
  refresh(): void
}

// Kept outside React, so that uploads continue while another screen is open.
const lists = new Map<string, readonly Kept[]>()
const listeners = new Set<() => void>()
const NONE: readonly Kept[] = []

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function put(key: string, list: readonly Kept[]): void {
  if (list.length > 0) lists.set(key, list)
  else lists.delete(key)
  for (const listener of listeners) listener()
  const isGoing = [...lists.values()].flat().some(({ state }) => state !== 'failed')
  if (isGoing) addEventListener('beforeunload', ask)
  else removeEventListener('beforeunload', ask)
}

/** Signing out cancels all uploads. */
onLeave(() => {
  const all = [...lists.values()].flat()
  for (const key of [...lists.keys()]) put(key, NONE)
  for (const { preview, ended } of all) {
    if (preview) URL.revokeObjectURL(preview)
    ended.abort()
  }
})

/** Closing the window would interrupt uploads, so the browser asks first. */
const ask = (event: BeforeUnloadEvent) => event.preventDefault()

const change = (key: string, id: string, to: Partial<Kept>) =>
  put(
    key,
    (lists.get(key) ?? NONE).map((one) => (one.id === id ? { ...one, ...to } : one)),
  )

function remove(key: string, id: string): void {
  const list = lists.get(key) ?? NONE
  const gone = list.find((one) => one.id === id)
  if (gone?.preview) URL.revokeObjectURL(gone.preview)
  put(
    key,
    list.filter((one) => one.id !== id),
  )
}

/**
 * Uploads one file at a time, which keeps the files in order. A file that fails does not stop the
 * others.
 */
async function sendAll(key: string): Promise<void> {
  const list = lists.get(key) ?? NONE
  const next = list.find(({ state }) => state === 'waiting')
  if (!next || list.some(({ state }) => state === 'going')) return
  const { id, file, target, place, idempotencyKey, ended, refresh } = next
  change(key, id, { state: 'going', share: 0 })
  const body = new FormData()
  for (const [name, value] of Object.entries(target.fields ?? {})) body.set(name, value)
  body.append('file', file)
  const progress = (share: number) => change(key, id, { share })
  const { signal } = ended
  const options: Call = { method: 'POST', body, place, idempotencyKey, progress, signal }
  try {
    const answer = await call(target.path, options)
    remove(key, id)
    refresh()
    target.onDone?.(answer)
  } catch (error) {
    const { status = 0, fields = {}, message } = error as ApiError
    const [said] = Object.values(fields)[0] ?? []
    const canRepeat = status === 0 || status === 429 || status >= 500
    change(key, id, { state: 'failed', fault: said ?? message, canRepeat })
  }
  await sendAll(key)
}

/** Returns the uploads under `key` that are in progress or have failed. */
export function useUploads(key: string, target: Target) {
  const queries = useQueryClient()
  const going = useSyncExternalStore(subscribe, () => lists.get(key) ?? NONE)
  return {
    going: going as readonly PendingUpload[],
    add: (files: readonly File[]) =>
      startUploads(key, target, files, () => void queries.invalidateQueries()),
    again: (id: string) => {
      change(key, id, { state: 'waiting', share: 0 })
      void sendAll(key)
    },
    dismiss: (id: string) => remove(key, id),
  }
}

/** Queues files. Files of the wrong type or size fail at once. */
export function startUploads(
  key: string,
  target: Target,
  files: readonly File[],
  refresh: () => void,
): void {
  const place = currentPlace()
  const added = files.map((file): Kept => {
    const fault = uploadErrorOf(file, target)
    const isPicture = !fault && file.type.startsWith('image/')
    return {
      id: crypto.randomUUID(),
      idempotencyKey: crypto.randomUUID(),
      ended: new AbortController(),
      file,
      share: 0,
      canRepeat: false,
      ...(fault ? { state: 'failed', fault } : { state: 'waiting' }),
      ...(isPicture && { preview: URL.createObjectURL(file) }),
      target,
      place,
      refresh,
    }
  })
  put(key, [...(lists.get(key) ?? NONE), ...added])
  void sendAll(key)
}

/**
 * Returns what is wrong with a file. Checks only its type and size, because the server checks the
 * content.
 */
export function uploadErrorOf(
  { name, type, size }: File,
  { types, bytesMax, says }: Pick<Target, 'types' | 'bytesMax' | 'says'>,
): string | undefined {
  if (types && type && !types.includes(type)) return `Unsupported file type. Use ${says}`
  if (size > bytesMax)
    return `The file must be at most ${bytesOf(bytesMax)}. It is ${bytesOf(size)}.`
  return size === 0 ? `${name} is empty.` : undefined
}

/** Shows the progress of uploads, and the reasons for failures. */
export function Uploads({
  going,
  again,
  dismiss,
}: Pick<ReturnType<typeof useUploads>, 'going' | 'again' | 'dismiss'>) {
  if (going.length === 0) return null
  return (
    <Stack gap="xs" mt="sm" role="group" aria-label="Uploading">
      {going.map(({ id, file, state, share, fault, canRepeat }) => (
        <div key={id} className="upload">
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" className="breaks" fw={600}>
              {file.name}
            </Text>
            {state === 'failed' ? (
              <Group gap={4} wrap="nowrap">
                {canRepeat && (
                  <ActionButton label="Try again" size="compact-xs" onClick={() => again(id)} />
                )}
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Dismiss ${file.name}`}
                  onClick={() => dismiss(id)}
                >
                  <IconX size={14} />
                </ActionIcon>
              </Group>
            ) : (
              <Text size="sm" c="dimmed" className="whole">
                {state === 'waiting'
                  ? 'Waiting'
                  : share < 1
                    ? `${Math.floor(share * 100)}% of ${bytesOf(file.size)}`
                    : 'Checking…'}
              </Text>
            )}
          </Group>
          {state === 'failed' ? (
            <Text size="sm" c="var(--bad)" role="alert" className="breaks">
              {fault}
            </Text>
          ) : (
            <Progress
              value={share * 100}
              size="sm"
              mt={4}
              animated={share === 1}
              aria-label={`Upload progress: ${file.name}`}
            />
          )}
        </div>
      ))}
    </Stack>
  )
}

/** `12 bytes`, `1.5 KiB`, `10 MiB` */
export function bytesOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const [value, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KiB'] : [bytes / 1024 ** 2, 'MiB']
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${unit}`
}

/** The accepted images. The server also checks their content. */
export const IMAGES = {
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  bytesMax: 10 * 1024 * 1024,
  says: 'JPEG, PNG, WebP or GIF, up to 10 MiB each.',
} as const

interface DropZoneProps {
  /** The label of the button. */
  verb: string
  icon?: ReactNode
  /** Describes the accepted files. */
  says: string
  types?: readonly string[] | undefined
  multiple?: boolean
  onFiles(files: File[]): void
}

/** Lets users drop, paste or choose files. */
export function DropZone({ verb, icon, says, types, multiple = true, onFiles }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const take = (list: FileList | null | undefined) => {
    const files = [...(list ?? [])]
    if (files.length > 0) onFiles(multiple ? files : files.slice(0, 1))
    return files.length > 0
  }
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      className={isOver ? 'drop-zone over' : 'drop-zone'}
      onDragOver={over}
      onDragEnter={over}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        setOver(false)
        if (take(event.dataTransfer.files)) event.preventDefault()
      }}
      onPaste={(event) => {
        if (take(event.clipboardData.files)) event.preventDefault()
      }}
    >
      <FileButton
        multiple={multiple}
        {...(types && { accept: types.join(',') })}
        onChange={(chosen: File | File[] | null) => {
          const files = Array.isArray(chosen) ? chosen : chosen ? [chosen] : []
          if (files.length > 0) onFiles(files)
        }}
      >
        {(props) => <ActionButton label={verb} {...props} size="xs" leftSection={icon} />}
      </FileButton>
      <Text size="xs" c="dimmed" ta="center">
        {isOver ? 'Drop here.' : `Or drop ${multiple ? 'files' : 'a file'} here. ${says}`}
      </Text>
    </div>
  )
}
