{{/* The name of all objects: that of the release, which names the chart. */}}
{{- define "hashrange.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name }}{{ end -}}
{{- end }}

{{- define "hashrange.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hashrange.labels" -}}
{{ include "hashrange.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "hashrange.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The names in the header Host that the server answers. */}}
{{- define "hashrange.hosts" -}}
{{- $name := include "hashrange.name" . }}
{{- $service := printf "%s.%s" $name .Release.Namespace }}
{{- concat (list $name $service (printf "%s.svc" $service) "*.svc.cluster.local") .Values.hosts | join "," }}
{{- end }}
