import { Button, FileButton, Text } from '@mantine/core'
import { type DragEvent, type ReactNode, useState } from 'react'
import '../theme/sell.css'
import { t } from '../texts/parts.ts'

interface DropZoneProps {
  /** What its button says. */
  verb: string
  icon?: ReactNode
  /** What may be chosen, in words. */
  says: string
  types?: readonly string[] | undefined
  multiple?: boolean
  onFiles(files: File[]): void
}

/** Where files are dropped, pasted or chosen. */
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
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same
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
        {(props) => (
          <Button {...props} size="xs" variant="default" leftSection={icon}>
            {verb}
          </Button>
        )}
      </FileButton>
      <Text size="xs" c="dimmed" ta="center">
        {isOver ? t.dropHere : t.orDropHere(multiple ? 'them' : 'it', says)}
      </Text>
    </div>
  )
}
