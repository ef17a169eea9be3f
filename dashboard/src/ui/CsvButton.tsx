import { ActionIcon } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { addressOf, currentPlace, type Query } from '../api/call.ts'
import { csvOf, type PagingStyle, ROWS_MAX, readAll } from '../api/csv.ts'
import { download, saveFile } from '../api/download.ts'
import { ActionButton } from './buttons.tsx'
import { useIsPhone } from './Filters.tsx'

/** Downloads a CSV file that the server creates. */
export function CsvButton({
  path,
  query,
  disabled = false,
}: {
  path: string
  query: Query
  disabled?: boolean
}) {
  return <SaveCsv save={() => download(addressOf(path, query))} disabled={disabled} />
}

interface ListCsvProps {
  /** The name of the file, without `.csv`. */
  name: string
  path: string
  query: Query
  cut: PagingStyle
  disabled: boolean
}

/** Downloads a CSV file that the browser creates from all pages of a list. */
export function ListCsvButton({ name, path, query, cut, disabled }: ListCsvProps) {
  const save = async () => {
    const { rows, isAll } = await readAll({ path, query, cut, place: currentPlace() })
    saveFile(`${name.toLowerCase().replaceAll(' ', '-')}.csv`, new Blob([csvOf(rows)]))
    if (!isAll)
      notifications.show({
        message: `The file contains the first ${ROWS_MAX.toLocaleString('en-NG')} rows. Filter the list to export the rest.`,
      })
  }
  return <SaveCsv save={save} disabled={disabled} />
}

function SaveCsv({ save, disabled = false }: { save(): Promise<void>; disabled?: boolean }) {
  const [isSaving, setSaving] = useState(false)
  const start = () => {
    setSaving(true)
    save()
      .catch((error: Error) => notifications.show({ message: error.message, color: 'red' }))
      .finally(() => setSaving(false))
  }
  // On a phone, there is no room for the label beside the main button.
  const shared = { variant: 'default', loading: isSaving, disabled, onClick: start }
  if (useIsPhone()) {
    return (
      <ActionIcon {...shared} size={36} aria-label="Download CSV">
        <IconDownload size={18} />
      </ActionIcon>
    )
  }
  return <ActionButton icon={IconDownload} label="Download CSV" isMain {...shared} />
}
