{{- define "tradepost.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "tradepost.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tradepost.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "tradepost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tradepost.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What every container needs, in a list under `containers`. */}}
{{- define "tradepost.container" -}}
image: {{ include "tradepost.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  - name: PUBLIC_URL
    value: {{ .Values.publicUrl | quote }}
  - name: TRUST_PROXY
    value: {{ .Values.trustProxy | quote }}
  # For health checks and metrics of pods that only run jobs.
  - name: WORKER_PORT
    value: '4000'
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: data
    mountPath: /data
  - name: scratch
    mountPath: /tmp
{{- end }}

{{/* What every pod needs. */}}
{{- define "tradepost.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "tradepost.volumes" -}}
volumes:
  - name: scratch
    emptyDir: {}
  - name: data
    {{- if or .Values.files.existingClaim .Values.files.create }}
    persistentVolumeClaim:
      claimName: {{ .Values.files.existingClaim | default (printf "%s-files" (include "tradepost.name" .)) }}
    {{- else }}
    emptyDir: {}
    {{- end }}
{{- end }}

{{- define "tradepost.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: http }
  periodSeconds: 2
  # The database can take a minute to accept connections, and two to be updated by another pod.
  failureThreshold: 120
livenessProbe:
  httpGet: { path: /health/live, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /health/ready, port: http }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}
