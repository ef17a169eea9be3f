import { Alert, Group, Table } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError, addressOf, call, currentPlace, type Query } from '../api/call.ts'
import { useRead } from '../api/hooks.ts'
import { ActionButton } from './buttons.tsx'
import type { FormState } from './use-form.ts'
import { formatState } from './values.tsx'

/** Where to read the record that a form edits, to avoid overwriting other people's changes. */
// biome-ignore lint/suspicious/noExplicitAny: responses as the API returns them
export interface Edits<Values, Answer = any> {
  path: string
  query?: Query
  /** Returns the form's values from a response; undefined if it no longer contains the record. */
  valuesOf(answer: Answer): Values | undefined
  /** Labels for fields with names that are not clear enough as words. */
  labels?: Partial<Record<keyof Values & string, string>>
}

/** The values that changes are compared with. At first, those with which the form was opened. */
interface Base<Values> {
  values: Values
  etag: string | undefined
}

type Theirs<Values> = Base<Values> & {
  /** Whether the conflict made the server refuse a save. */
  isRefused: boolean
}

/**
 * Remembers the values with which a form was opened. Reports other people's changes as they happen,
 * and again on saving: through the ETag or, for records without one, by reading the record first.
 */
export function useEdits<Values extends Record<string, unknown>>(
  form: FormState<Values>,
  edits: Edits<Values> | undefined,
) {
  const queries = useQueryClient()
  const { path = '', query = {} } = edits ?? {}
  const seen = useRead<{ etag?: string }>(path, query, { enabled: edits !== undefined })
  const [opened] = useState<Values>(() => {
    const initial = form.getInitialValues()
    return edits ? structuredClone(initial) : initial
  })
  const base = useRef<Base<Values>>({ values: opened, etag: seen.data?.etag })
  const [theirs, setTheirs] = useState<Theirs<Values>>()
  // While a save is in progress, a read may already return the values that are being saved.
  const isSaving = useRef(false)

  const values = seen.data && edits?.valuesOf(seen.data)
  const text = values && spelt(values)
  const etag = seen.data?.etag
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text represents the values
  useEffect(() => {
    if (!values || isSaving.current) return
    // Changes to other fields of the record don't matter.
    if (text === spelt(base.current.values)) {
      base.current.etag = etag
      setTheirs(undefined)
    } else {
      setTheirs((known) => ({ values, etag, isRefused: known?.isRefused ?? false }))
    }
  }, [text, etag])

  /**
   * Reads the record again. Returns the other person's values, if they differ from those that the
   * form was opened with.
   */
  async function look(): Promise<Theirs<Values> | undefined> {
    const { business, mode } = currentPlace()
    const answer = await call<{ etag?: string }>(path, { query })
    queries.setQueryData([business, mode, addressOf(path), query], answer)
    const now = edits?.valuesOf(answer)
    if (!now)
      throw new ApiError('This record has been deleted, so your changes cannot be saved.', {
        status: 404,
        code: 'gone',
      })
    if (spelt(now) !== spelt(base.current.values)) {
      return { values: now, etag: answer.etag, isRefused: true }
    }
    base.current.etag = answer.etag
    return undefined
  }

  /**
   * Returns whether the form can be sent. Without an ETag, reads the record first, and throws if
   * that fails.
   */
  async function mayGo(): Promise<boolean> {
    if (!edits || base.current.etag) return true
    const found = await look()
    setTheirs(found)
    return found === undefined
  }

  /**
   * After a refusal, returns whether only other fields have changed, so that the form can be sent
   * again.
   */
  async function isToRepeat(): Promise<boolean> {
    const found = await look()
    setTheirs(found)
    return found === undefined
  }

  const takeMine = (found: Theirs<Values>) => {
    base.current = found
    setTheirs(undefined)
  }
  const takeTheirs = (found: Theirs<Values>) => {
    takeMine(found)
    form.setValues(found.values)
    form.resetDirty(found.values)
    form.clearErrors()
  }
  return {
    theirs,
    saving: () => {
      isSaving.current = true
    },
    /** Ends a save. If `mine` was saved, the record is the base for later comparisons. */
    saved: (mine: Values | undefined, done?: { etag?: string }) => {
      isSaving.current = false
      if (!mine || !edits) return
      const { business, mode } = currentPlace()
      const answer = queries.getQueryData<{ etag?: string }>([
        business,
        mode,
        addressOf(path),
        query,
      ])
      const now = answer && edits.valuesOf(answer)
      if (!now) return
      const found = { values: now, etag: answer.etag, isRefused: false }
      // Lists don't have an ETag.
      const isTheirs = done?.etag && answer.etag && answer.etag !== done.etag
      if (!isTheirs || spelt(now) === spelt(mine)) return takeMine(found)
      // Someone else has saved the record after this user, but before the response arrived.
      base.current = { values: mine, etag: done.etag }
      setTheirs(found)
    },
    mayGo,
    isToRepeat,
    takeMine,
    takeTheirs,
    opened: () => base.current.values,
    ifMatch: () => base.current.etag,
  }
}

/** Reports the conflict, shows the differences, and asks which version to keep. */
export function Conflict<Values extends Record<string, unknown>>({
  form,
  edits,
  of,
  theirs,
  again,
}: {
  form: FormState<Values>
  edits: Edits<Values>
  of: ReturnType<typeof useEdits<Values>>
  theirs: Theirs<Values>
  /** Submits the form again. */
  again(): void
}) {
  const [isShown, setShown] = useState(false)
  const { isRefused } = theirs
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The Save button, at which the user is looking, is far below the message.
    if (isRefused) box.current?.focus()
  }, [isRefused])
  const base = of.opened()
  const fields = Object.keys(theirs.values).filter(
    (name) => spelt(theirs.values[name]) !== spelt(base[name]),
  )
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      color="yellow"
      icon={<IconUsers />}
      title="Someone else changed this record"
      role="alert"
      className="conflict"
    >
      Your changes are not saved yet.
      {isShown && (
        <Table.ScrollContainer minWidth={320}>
          <Table aria-label="See what changed" my="xs" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th />
                <Table.Th>Before</Table.Th>
                <Table.Th>Theirs</Table.Th>
                <Table.Th>Yours</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {fields.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th>{edits.labels?.[name] ?? formatState(name)}</Table.Th>
                  <Table.Td className="breaks">{said(base[name])}</Table.Td>
                  <Table.Td className="breaks">{said(theirs.values[name])}</Table.Td>
                  <Table.Td className="breaks">{said(form.values[name])}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Group gap="xs" mt="sm">
        {!isShown && (
          <ActionButton label="See what changed" size="xs" onClick={() => setShown(true)} />
        )}
        <ActionButton
          label={isRefused ? 'Overwrite with my changes' : 'Keep mine'}
          size="xs"
          onClick={() => {
            of.takeMine(theirs)
            if (isRefused) again()
          }}
        />
        <ActionButton label="Use theirs" size="xs" onClick={() => of.takeTheirs(theirs)} />
      </Group>
    </Alert>
  )
}

/** Serialises values for comparison. Omits `key`, which only the form uses. */
const spelt = (value: unknown): string =>
  JSON.stringify(value, (name, part) => (name === 'key' ? undefined : part)) ?? ''

function said(value: unknown): ReactNode {
  if (value === '' || value === null || value === undefined) return 'Blank'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (!Array.isArray(value))
    return typeof value === 'object' ? Object.values(value).join(', ') : String(value)
  if (value.length === 0) return 'Blank'
  return value
    .map((one) => (typeof one === 'object' ? partsOf(one as object).join(' · ') : String(one)))
    .join('; ')
}

const partsOf = (part: object): unknown[] =>
  Object.entries(part)
    .filter(([name, value]) => name !== 'key' && value !== '' && value !== null)
    .map(([, value]) => value)
