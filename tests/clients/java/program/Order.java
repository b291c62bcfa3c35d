package program;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.enhanced.dynamodb.AttributeConverter;
import software.amazon.awssdk.enhanced.dynamodb.AttributeValueType;
import software.amazon.awssdk.enhanced.dynamodb.EnhancedType;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbAtomicCounter;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbVersionAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbConvertedBy;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A bean with a bit of everything that the Enhanced Client maps. */
@DynamoDbBean
public class Order {
    /** A status, stored by its name. */
    public enum Status { OPEN, SENT }

    private String customer;
    private Long number;
    private Status status;
    private Instant placed;
    private BigDecimal total;
    private Long version;
    private Long saves;
    private String note;
    private Boolean gift;
    private Address address;
    private List<Address> others;
    private Map<String, Integer> counts;
    private Set<String> labels;
    private Set<Integer> primes;
    private SdkBytes photo;
    private Point point;

    public Order() {}

    Order(String customer, long number) {
        this.customer = customer;
        this.number = number;
    }

    @DynamoDbPartitionKey
    public String getCustomer() { return customer; }
    public void setCustomer(String customer) { this.customer = customer; }

    @DynamoDbSortKey
    public Long getNumber() { return number; }
    public void setNumber(Long number) { this.number = number; }

    @DynamoDbSecondaryPartitionKey(indexNames = "by-status")
    public Status getStatus() { return status; }
    public void setStatus(Status status) { this.status = status; }

    @DynamoDbSecondarySortKey(indexNames = "by-status")
    public Instant getPlaced() { return placed; }
    public void setPlaced(Instant placed) { this.placed = placed; }

    /** Without a partition key of its own: a local index. */
    @DynamoDbSecondarySortKey(indexNames = "by-total")
    public BigDecimal getTotal() { return total; }
    public void setTotal(BigDecimal total) { this.total = total; }

    @DynamoDbVersionAttribute
    public Long getVersion() { return version; }
    public void setVersion(Long version) { this.version = version; }

    @DynamoDbAtomicCounter(delta = 10, startValue = 100)
    public Long getSaves() { return saves; }
    public void setSaves(Long saves) { this.saves = saves; }

    /** Stored under a name that is a reserved word. */
    @DynamoDbAttribute("comment")
    public String getNote() { return note; }
    public void setNote(String note) { this.note = note; }

    public Boolean getGift() { return gift; }
    public void setGift(Boolean gift) { this.gift = gift; }

    public Address getAddress() { return address; }
    public void setAddress(Address address) { this.address = address; }

    public List<Address> getOthers() { return others; }
    public void setOthers(List<Address> others) { this.others = others; }

    public Map<String, Integer> getCounts() { return counts; }
    public void setCounts(Map<String, Integer> counts) { this.counts = counts; }

    public Set<String> getLabels() { return labels; }
    public void setLabels(Set<String> labels) { this.labels = labels; }

    public Set<Integer> getPrimes() { return primes; }
    public void setPrimes(Set<Integer> primes) { this.primes = primes; }

    public SdkBytes getPhoto() { return photo; }
    public void setPhoto(SdkBytes photo) { this.photo = photo; }

    @DynamoDbConvertedBy(PointConverter.class)
    public Point getPoint() { return point; }
    public void setPoint(Point point) { this.point = point; }

    /** A place with two parts, stored as a map. */
    @DynamoDbBean
    public static class Address {
        private String street;
        private String city;

        public Address() {}

        Address(String street, String city) {
            this.street = street;
            this.city = city;
        }

        public String getStreet() { return street; }
        public void setStreet(String street) { this.street = street; }

        public String getCity() { return city; }
        public void setCity(String city) { this.city = city; }

        @Override
        public boolean equals(Object other) {
            return other instanceof Address that
                    && Objects.equals(street, that.street) && Objects.equals(city, that.city);
        }

        @Override
        public int hashCode() { return Objects.hash(street, city); }

        @Override
        public String toString() { return street + ", " + city; }
    }

    /** Two numbers, stored as text with a comma. */
    public record Point(int x, int y) {}

    /** A converter of one's own. */
    public static class PointConverter implements AttributeConverter<Point> {
        @Override
        public AttributeValue transformFrom(Point point) {
            return AttributeValue.fromS(point.x() + "," + point.y());
        }

        @Override
        public Point transformTo(AttributeValue value) {
            String[] parts = value.s().split(",");
            return new Point(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
        }

        @Override
        public EnhancedType<Point> type() { return EnhancedType.of(Point.class); }

        @Override
        public AttributeValueType attributeValueType() { return AttributeValueType.S; }
    }
}
