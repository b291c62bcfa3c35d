package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
)

const namespace = "Go"

// A meter is a client of CloudWatch, which speaks CBOR, and the time of its values.
type meter struct {
	client *cloudwatch.Client
	start  time.Time
}

func newMeter(chosen aws.Config, endpoint string) *meter {
	client := cloudwatch.NewFromConfig(chosen, func(o *cloudwatch.Options) {
		o.BaseEndpoint = aws.String(endpoint)
	})
	return &meter{client, time.Now().Truncate(time.Minute).Add(-2 * time.Minute)}
}

func (m *meter) steps() []step {
	return []step{
		{"metricsPut", m.put},
		{"metricsListed", m.list},
		{"metricStatistics", m.statistics},
		{"metricData", m.data},
		{"metricRefused", m.refused},
	}
}

func dimensions(page string) []types.Dimension {
	return []types.Dimension{{Name: aws.String("Page"), Value: aws.String(page)}}
}

// More than 10 KB are compressed.
func (m *meter) put(ctx context.Context) (any, error) {
	data := []types.MetricDatum{}
	for number := range 300 {
		data = append(data, types.MetricDatum{
			MetricName: aws.String("Latency"), Dimensions: dimensions(fmt.Sprint("page", number%2)),
			Timestamp: aws.Time(m.start), Value: aws.Float64(float64(number)),
			Unit: types.StandardUnitMilliseconds,
		})
	}
	_, err := m.client.PutMetricData(ctx, &cloudwatch.PutMetricDataInput{
		Namespace: aws.String(namespace), MetricData: data,
	})
	return err == nil, err
}

func (m *meter) list(ctx context.Context) (any, error) {
	pages := cloudwatch.NewListMetricsPaginator(m.client, &cloudwatch.ListMetricsInput{
		Namespace: aws.String(namespace), MetricName: aws.String("Latency"),
		Dimensions: []types.DimensionFilter{{Name: aws.String("Page")}},
	})
	values := map[string]string{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, metric := range page.Metrics {
			values[*metric.Dimensions[0].Value] = *metric.MetricName
		}
	}
	return values, nil
}

func (m *meter) statistics(ctx context.Context) (any, error) {
	answer, err := m.client.GetMetricStatistics(ctx, &cloudwatch.GetMetricStatisticsInput{
		Namespace: aws.String(namespace), MetricName: aws.String("Latency"),
		Dimensions: dimensions("page0"), Period: aws.Int32(60),
		StartTime: aws.Time(m.start), EndTime: aws.Time(m.start.Add(time.Minute)),
		Statistics:         []types.Statistic{types.StatisticSum, types.StatisticSampleCount},
		ExtendedStatistics: []string{"p50"},
	})
	if err != nil {
		return nil, err
	}
	point := answer.Datapoints[0]
	return []any{
		len(answer.Datapoints), point.Timestamp.Equal(m.start), *point.Sum, *point.SampleCount,
		string(point.Unit), point.ExtendedStatistics,
	}, nil
}

func (m *meter) data(ctx context.Context) (any, error) {
	search := fmt.Sprintf(`REMOVE_EMPTY(SEARCH('{"%s","Page"} MetricName="Latency"', 'Sum', 60))`, namespace)
	answer, err := m.client.GetMetricData(ctx, &cloudwatch.GetMetricDataInput{
		StartTime: aws.Time(m.start), EndTime: aws.Time(m.start.Add(time.Minute)),
		ScanBy: types.ScanByTimestampAscending,
		MetricDataQueries: []types.MetricDataQuery{
			{Id: aws.String("a"), Expression: aws.String(search), Label: aws.String("${PROP('Dim.Page')}")},
			{Id: aws.String("b"), Expression: aws.String("SUM(a) / 100"), Period: aws.Int32(60)},
		},
	})
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, result := range answer.MetricDataResults {
		values[*result.Label] = []any{result.Values, result.Timestamps[0].Equal(m.start), string(result.StatusCode)}
	}
	return values, nil
}

func (m *meter) refused(ctx context.Context) (any, error) {
	_, err := m.client.ListMetrics(ctx, &cloudwatch.ListMetricsInput{NextToken: aws.String("x")})
	var token *types.InvalidNextToken
	_, other := m.client.PutMetricData(ctx, &cloudwatch.PutMetricDataInput{
		Namespace:  aws.String("AWS/Go"),
		MetricData: []types.MetricDatum{{MetricName: aws.String("m"), Value: aws.Float64(1)}},
	})
	return seen{"isItsType": errors.As(err, &token), "error": told(err), "other": told(other)}, nil
}
